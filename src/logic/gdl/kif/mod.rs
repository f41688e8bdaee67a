//! The reader of the prefix form, KIF as GDL uses it.
//!
//! ```text
//! text --token--> tokens --layout--> balanced tokens --forms--> forms --clause--> clauses
//! ```
//!
//! A form is a word or a list of forms. Each form at the top level is one clause: `(<= head body...)` or a fact. A
//! single word is an atom without arguments, and `(p)` means `p`. Each `?_` is a variable of its own. A clause with a
//! syntax error is reported and left out; the other clauses are read.
//!
//! Two forms of a dialect are read, with a note: a second pair of parentheses (`((p x))`), and one list around all
//! clauses, as in the messages of the protocol.

mod layout;
mod token;

use super::anonymous::AnonymousVariables;
use super::collector::FindingCollector;
use super::depth::{MAX_NESTING, too_deep};
use super::dialect::Dialect;
use super::finding::{Finding, FindingCode, keyword_arity};
use super::rule::{Atom, Clause, Formula, splice};
use super::source::{At, Span};
use hyperplay_machine::terms::{Symbol, Symbols, Term};
use layout::Repair;
use token::{KifToken, KifTokenKind};
pub(super) use token::{is_name, looks_like_comment};

/// A word, or a list of forms in parentheses.
enum KifForm {
    Word(KifToken),
    List(Vec<KifForm>, Span),
}

impl KifForm {
    fn span(&self) -> Span {
        match self {
            KifForm::Word(token) => token.span(),
            KifForm::List(_, span) => *span,
        }
    }
}

/// Reads the clauses of a text.
pub(super) fn read(text: &str, symbols: &mut Symbols, report: &mut FindingCollector) -> Vec<Clause> {
    let tokens = token::tokens(text, report);
    let tokens = without_outer_list(&tokens, report);
    let repair = layout::repair(tokens, report);
    let spelt = tokens.iter().map(|token| &text[token.span().start..token.span().end]);
    let mut anonymous = AnonymousVariables::new(spelt.map(|word| word.trim_start_matches('?')));
    let tuple = tuple_functor(text, tokens);
    let mut clauses = Vec::new();
    each_form(tokens, &repair, report, |form, report| {
        anonymous.begin_clause();
        let mut reader = KifReader { text, symbols, anonymous: &mut anonymous, tuple: &tuple, report };
        match (reader.clause(&form), reader.declaration(&form)) {
            (None, Some(declaration)) => report.unread.push((declaration, form.span())),
            (clause, _) => clauses.extend(clause),
        }
    });
    clauses
}

/// The beginning of the functors of lists that begin with a variable: no name of the text begins so.
fn tuple_functor(text: &str, tokens: &[KifToken]) -> String {
    let mut functor = "tuple_".to_owned();
    let begins = |token: &KifToken, functor: &str| {
        let name = text.get(token.span().start..token.span().end).and_then(|name| name.get(..functor.len()));
        name.is_some_and(|name| name.eq_ignore_ascii_case(functor))
    };
    while tokens.iter().any(|token| begins(token, &functor)) {
        functor.push('_');
    }
    functor
}

/// The tokens inside the list that is the whole text, if the text is a list of two or more lists; else all tokens.
fn without_outer_list<'t>(tokens: &'t [KifToken], report: &mut FindingCollector) -> &'t [KifToken] {
    let mut depth = 0_usize;
    let mut lists = 0;
    for (position, token) in tokens.iter().enumerate() {
        match token.kind {
            KifTokenKind::Open => {
                lists += usize::from(depth == 1);
                depth += 1;
            }
            KifTokenKind::Close if depth > 1 || (depth == 1 && position + 1 == tokens.len()) => depth -= 1,
            KifTokenKind::Name if depth > 1 => {}
            KifTokenKind::Variable | KifTokenKind::If if depth > 1 => {}
            _ => return tokens,
        }
    }
    if depth > 0 || lists < 2 {
        return tokens;
    }
    let help =
        || "a file of rules is a sequence of clauses: take the first and the last parenthesis out".to_owned();
    report.dialect(Dialect::ListOfClauses, tokens[0].span(), help);
    &tokens[1..tokens.len() - 1]
}

/// A form without a second pair of parentheses: `(p x)` for `((p x))`.
fn single<'f>(form: &'f KifForm, report: &mut FindingCollector) -> &'f KifForm {
    let mut inner = form;
    while let KifForm::List(forms, span) = inner
        && let [only @ KifForm::List(..)] = &forms[..]
    {
        report.dialect(Dialect::ExtraParentheses, *span, || "take one pair out".to_owned());
        inner = only;
    }
    inner
}

/// Calls `visit` for every form at the top level, from left to right.
fn each_form(
    tokens: &[KifToken],
    repair: &Repair,
    report: &mut FindingCollector,
    mut visit: impl FnMut(KifForm, &mut FindingCollector),
) {
    let mut skip = repair.skip.iter().copied().peekable();
    let mut close = repair.close.iter().copied().peekable();
    let mut open: Vec<(Span, Vec<KifForm>)> = Vec::new();
    // The number of open parentheses inside a form that is left out because it is too deep.
    let mut skipped = 0_usize;
    for position in 0..=tokens.len() {
        if close.next_if_eq(&position).is_some() || position == tokens.len() {
            skipped = 0;
            let before = tokens[..position].last().map_or(0, |token| token.span().end);
            while let Some((span, forms)) = open.pop() {
                put(KifForm::List(forms, span.to(Span::new(before, before))), &mut open, report, &mut visit);
            }
        }
        let Some(&token) = tokens.get(position) else { break };
        if skip.next_if_eq(&position).is_some() {
            continue;
        }
        match token.kind {
            KifTokenKind::Open if skipped > 0 => skipped += 1,
            KifTokenKind::Close if skipped > 0 => skipped -= 1,
            _ if skipped > 0 => {}
            KifTokenKind::Open if open.len() == MAX_NESTING => {
                report.add(too_deep(open[0].0, token.span()));
                skipped = open.len() + 1;
                open.clear();
            }
            KifTokenKind::Open => open.push((token.span(), Vec::new())),
            KifTokenKind::Close => {
                let (span, forms) = open.pop().expect("the repaired parentheses balance");
                put(KifForm::List(forms, span.to(token.span())), &mut open, report, &mut visit);
            }
            _ => put(KifForm::Word(token), &mut open, report, &mut visit),
        }
    }
}

/// Adds a finished form to the innermost open list, or passes it to the visitor if no list is open.
fn put(
    form: KifForm,
    open: &mut [(Span, Vec<KifForm>)],
    report: &mut FindingCollector,
    visit: &mut impl FnMut(KifForm, &mut FindingCollector),
) {
    match open.last_mut() {
        Some((_, forms)) => forms.push(form),
        None => visit(form, report),
    }
}

/// The translation of forms into clauses. Each method reports a form that it cannot translate and returns `None`.
struct KifReader<'r> {
    text: &'r str,
    symbols: &'r mut Symbols,
    anonymous: &'r mut AnonymousVariables,
    /// The beginning of the functors of tuples.
    tuple: &'r str,
    report: &'r mut FindingCollector,
}

impl KifReader<'_> {
    /// The relation at the head of the form if it is `base`, `input` or `percept`.
    fn declaration(&self, form: &KifForm) -> Option<Symbol> {
        fn list(form: &KifForm) -> Option<&[KifForm]> {
            match form {
                KifForm::List(forms, _) => Some(forms),
                KifForm::Word(_) => None,
            }
        }
        let head = match list(form)? {
            [KifForm::Word(arrow), head, ..] if arrow.kind == KifTokenKind::If => list(head)?,
            fact => fact,
        };
        let Some(KifForm::Word(word)) = head.first() else { return None };
        let name = self.symbols.get(&self.text[word.span().start..word.span().end])?;
        name.is_declaration().then_some(name)
    }

    fn clause(&mut self, form: &KifForm) -> Option<Clause> {
        let form = single(form, self.report);
        let at = At(form.span());
        match form {
            KifForm::List(forms, span) if matches!(forms.first(), Some(KifForm::Word(t)) if t.kind == KifTokenKind::If) =>
            {
                let Some(head) = forms.get(1) else {
                    self.report.syntax(*span, "`<=` without a head");
                    return None;
                };
                let head = self.atom(head);
                let mut body = Vec::new();
                let mut whole = true;
                for form in &forms[2..] {
                    match self.formula(form) {
                        Some(formula) => splice(formula, &mut body),
                        None => whole = false,
                    }
                }
                head.filter(|_| whole).map(|head| Clause { head, body, at })
            }
            _ => self.atom(form).map(|head| Clause { head, body: Vec::new(), at }),
        }
    }

    fn formula(&mut self, form: &KifForm) -> Option<Formula> {
        let form = single(form, self.report);
        let at = At(form.span());
        let word = self.name(form, "a condition", "the name of a relation")?;
        if !word.is_logical() {
            return self.atom(form).map(Formula::Atom);
        }
        let members: &[KifForm] = match form {
            KifForm::List(forms, _) => &forms[1..],
            KifForm::Word(_) => &[],
        };
        match word {
            Symbol::DISTINCT => {
                let [left, right] = members else { return self.arity("distinct", 2, members.len(), form) };
                let (left, right) = (self.term(left), self.term(right));
                Some(Formula::Distinct(left?, right?, at))
            }
            Symbol::NOT => {
                let [inner] = members else { return self.arity("not", 1, members.len(), form) };
                Some(Formula::Not(Box::new(self.formula(inner)?), at))
            }
            _ => {
                let read: Vec<Option<Formula>> = members.iter().map(|member| self.formula(member)).collect();
                let members: Vec<Formula> = read.into_iter().collect::<Option<_>>()?;
                Some(if word == Symbol::AND { Formula::And(members, at) } else { Formula::Or(members, at) })
            }
        }
    }

    fn atom(&mut self, form: &KifForm) -> Option<Atom> {
        let form = single(form, self.report);
        let relation = self.name(form, "a clause", "the name of a relation");
        let arguments = self.arguments(form);
        Some(Atom { relation: relation?, arguments: arguments?, at: At(form.span()) })
    }

    fn term(&mut self, form: &KifForm) -> Option<Term> {
        let form = single(form, self.report);
        if let KifForm::Word(token) = form
            && token.kind == KifTokenKind::Variable
        {
            return Some(Term::Variable(match &self.text[token.span().start + 1..token.span().end] {
                "_" => self.anonymous.next(self.symbols),
                name => self.symbols.intern(name),
            }));
        }
        if let KifForm::List(forms, _) = form
            && let Some(KifForm::Word(first)) = forms.first()
            && first.kind == KifTokenKind::Variable
        {
            return self.tuple(forms, first.span());
        }
        let functor = self.name(form, "a term", "the name of a function");
        let arguments = self.arguments(form);
        Some(Term::new(functor?, arguments?))
    }

    /// A list that begins with a variable: it is read as a term with a functor of its own.
    fn tuple(&mut self, forms: &[KifForm], first: Span) -> Option<Term> {
        let functor = format!("{}{}", self.tuple, forms.len());
        let variable = &self.text[first.start..first.end];
        let message = format!("the variable `{variable}` stands where the name of a function must stand");
        let help = format!(
            "it is taken to be the tuple `({functor} {variable} ...)`; GDL has no lists: begin with a name, as in `(pair \
             ?x ?y)`"
        );
        self.report.add(Finding::fault(FindingCode::Syntax, first, message).help(help));
        let terms: Vec<Option<Term>> = forms.iter().map(|form| self.term(form)).collect();
        let terms: Vec<Term> = terms.into_iter().collect::<Option<_>>()?;
        Some(Term::new(self.symbols.intern(&functor), terms))
    }

    fn arguments(&mut self, form: &KifForm) -> Option<Vec<Term>> {
        let KifForm::List(forms, _) = form else { return Some(Vec::new()) };
        let terms: Vec<Option<Term>> = forms.iter().skip(1).map(|form| self.term(form)).collect();
        terms.into_iter().collect()
    }

    /// The relation or function of a form: the word itself, or the first word of the list. `alone` and `first` say
    /// what must stand in its place.
    fn name(&mut self, form: &KifForm, alone: &str, first: &str) -> Option<Symbol> {
        let (word, wanted) = match form {
            KifForm::Word(token) => (token, alone),
            KifForm::List(forms, span) => match forms.first() {
                Some(KifForm::Word(token)) => (token, first),
                Some(list) => {
                    let message = format!("{first} must follow `(`, not another `(`");
                    self.report.syntax(Span::new(span.start, list.span().start + 1), message);
                    return None;
                }
                None => {
                    self.report.syntax(*span, "nothing stands between these parentheses");
                    return None;
                }
            },
        };
        let text = &self.text[word.span().start..word.span().end];
        match word.kind {
            KifTokenKind::Variable => {
                let message = format!("the variable `{text}` stands where {wanted} must stand");
                let finding = Finding::syntax(word.span(), message);
                self.report.add(match form {
                    KifForm::List(..) => {
                        finding.help("GDL has no lists: begin with a name, as in `(pair ?x ?y)`")
                    }
                    KifForm::Word(_) => finding,
                });
                None
            }
            KifTokenKind::If => {
                let message =
                    format!("`{text}` can only begin a rule, and a rule cannot stand inside another clause");
                self.report.syntax(word.span(), message);
                None
            }
            _ => Some(self.symbols.intern(text)),
        }
    }

    fn arity<T>(&mut self, word: &str, right: usize, wrong: usize, form: &KifForm) -> Option<T> {
        self.report.add(keyword_arity(word, right, wrong, form.span()));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::print::print;
    use super::super::read::read;
    use super::super::{Finding, FindingCode, Rulesheet, Severity, Source, Syntax};

    fn kif(text: &str) -> (Rulesheet, Vec<Finding>) {
        read(Source::new("t", text), Some(Syntax::Kif))
    }

    /// Codes of the findings, each with its line and column.
    fn places(text: &str) -> Vec<(FindingCode, usize, usize)> {
        let (sheet, findings) = kif(text);
        let place = |finding: Finding| {
            let (line, column) = sheet.source.line_column(finding.span.start);
            (finding.code, line, column)
        };
        findings.into_iter().map(place).collect()
    }

    #[test]
    fn a_rule_is_read_with_its_places() {
        let (sheet, findings) =
            kif("; a game\n(ROLE x) p\n(<= (q ?a (f ?a)) (and (p) (and r)) (or) (not s))");
        assert_eq!(findings, []);
        assert_eq!(sheet.clauses.len(), 3);
        let rule = &sheet.clauses[2];
        assert_eq!(sheet.source.slice(rule.head.at.0), "(q ?a (f ?a))");
        let body: Vec<&str> = rule.body.iter().map(|f| sheet.source.slice(f.at().0)).collect();
        assert_eq!(body, ["(p)", "r", "(or)", "(not s)"]);
        assert_eq!(sheet.symbols.name(sheet.clauses[0].head.relation), "role");
    }

    #[test]
    fn a_word_with_no_meaning_where_it_stands_is_named() {
        use FindingCode::{KeywordArity, Syntax};
        for (text, expected) in [
            ("(p)\n()", vec![(Syntax, 2, 1)]),
            ("(<=)", vec![(Syntax, 1, 1)]),
            ("(<= p ?x ((q) r) )", vec![(Syntax, 1, 7), (Syntax, 1, 10)]),
            ("(?p a)", vec![(Syntax, 1, 2)]),
            ("(p (?f a))", vec![(Syntax, 1, 5)]),
            ("(p a?x)", vec![(Syntax, 1, 5)]),
            ("(p \"two words\" \"one\")\n(p \"a b) c", vec![(Syntax, 1, 4), (Syntax, 2, 4)]),
            ("(p ? a)", vec![(Syntax, 1, 4)]),
            ("(p \u{0} a)", vec![(Syntax, 1, 4)]),
            ("(<= p (not a b)\n (distinct a))", vec![(KeywordArity, 1, 7), (KeywordArity, 2, 2)]),
        ] {
            assert_eq!(places(text), expected, "{text}");
        }
    }

    /// The text as it is printed, in one line for each clause, with the marked text of every note.
    fn with_notes(text: &str) -> (String, Vec<String>) {
        let (sheet, findings) = kif(text);
        let note = |finding: Finding| {
            assert_eq!((finding.code, finding.severity), (FindingCode::Dialect, Severity::Note), "{text}");
            sheet.source.slice(finding.span).to_owned()
        };
        let notes = findings.into_iter().map(note).collect();
        (print(&sheet, Syntax::Kif).replace("\n    ", " ").replace("\n\n", "\n"), notes)
    }

    #[test]
    fn the_forms_of_other_systems_are_read_with_one_note_for_each() {
        for (text, printed, marked) in [
            ("(:- p q)\n(:- r s)", "(<= p q)\n(<= r s)\n", ":-"),
            ("(<=p q)\n(<=(r) s)", "(<= p q)\n(<= r s)\n", "<=p"),
            ("// one (\n(p) // two )\n % three\n", "p\n", "// one ("),
            ("/* one (\ntwo */ (p)\n# three )\n", "p\n", "/* one (\ntwo */"),
            ("// one\n(p a\n  #1)\n#2\n", "(p a #1)\n#2\n", "// one"),
            (
                "((role a))\n(<= ((p)) (((q))) ((not ((r ((f x)))))))",
                "(role a)\n(<= p q (not (r (f x))))\n",
                "((role a))",
            ),
            ("((role a) (<= (p)\n(q)) (r))", "(role a)\n(<= p q)\nr\n", "("),
        ] {
            assert_eq!(with_notes(text), (printed.to_owned(), vec![marked.to_owned()]), "{text}");
        }
    }

    #[test]
    fn every_anonymous_variable_is_a_variable_of_its_own() {
        let text = "(<= (p ?_) (q ?_ ?_x (f ?_)))\n(<= s (t ?_) (u ?_2))";
        let printed = "(<= (p ?_1_1) (q ?_1_2 ?_x (f ?_1_3)))\n(<= s (t ?_1_1) (u ?_2))\n";
        assert_eq!(with_notes(text), (printed.to_owned(), vec![]));
    }

    #[test]
    fn blanks_and_ends_of_lines_of_any_kind_separate() {
        for text in ["\u{feff}(p ?X)\r\n\t(Q +1 -1)", "; c (\u{7}\u{1b}\r(p ?x)\r(q +1\u{a0}-1)\r"] {
            assert_eq!(with_notes(text).0.to_lowercase(), "(p ?x)\n(q +1 -1)\n", "{text:?}");
        }
    }

    #[test]
    fn an_unbalanced_parenthesis_is_named_and_the_rest_is_read() {
        use FindingCode::UnbalancedParenthesis;
        for (text, line, column, clauses) in [
            ("(role a)\n(role b\n(init c)\n(init d)", 2, 1, 4),
            ("(role a)\n(<= (next p)\n (true p)\n(init c)\n(init d)", 2, 1, 4),
            ("(role a))\n(role b)", 1, 9, 2),
            ("(role a)\n(<= (next p))\n  (true p)\n (true q))\n(role b)", 2, 13, 3),
            ("(role a) (<= p q", 1, 10, 2),
            ("(<= (next p)\n(true (p))\n(q))\n(<= r\n(true (p)\n(q))\n(<= s\n(true q)\n(t))", 4, 1, 3),
        ] {
            assert_eq!(places(text), [(UnbalancedParenthesis, line, column)], "{text}");
            assert_eq!(kif(text).0.clauses.len(), clauses, "{text}");
        }
    }

    #[test]
    fn a_missing_parenthesis_is_guessed_from_the_layout() {
        let (_, findings) = kif("(<= (next p)\n    (true (q 1)\n    (true r))\n(role a)\n");
        assert_eq!(findings[0].help.as_deref(), Some("a `)` seems to be missing at the end of line 2"));
    }

    #[test]
    fn conditions_in_the_first_column_are_no_slip() {
        let (sheet, findings) = kif("(<= (next p)\n(true p)\n(true q))\n(role a)\n");
        assert_eq!(findings, []);
        assert_eq!(sheet.clauses.len(), 2);
    }

    #[test]
    fn deep_text_is_refused_at_once() {
        let deep = "(".repeat(1_000_000);
        assert_eq!(places(&deep)[1].0, FindingCode::TooDeep);
        let balanced = format!("(role a)(p {}x{})(role b)", "(f ".repeat(5000), ")".repeat(5000));
        assert_eq!(places(&balanced), [(FindingCode::TooDeep, 1, 9)]);
        assert_eq!(kif(&balanced).0.clauses.len(), 2);
        let shallow = |n| format!("(p {}x{})", "(f ".repeat(n), ")".repeat(n));
        assert_eq!(places(&shallow(199)), []);
        assert_eq!(places(&shallow(200)), [(FindingCode::TooDeep, 1, 1)]);
    }

    #[test]
    fn many_slips_are_counted_beyond_a_limit() {
        let (_, findings) = kif(&"(p ())\n".repeat(1000));
        assert_eq!(findings.len(), 101);
        assert_eq!(findings[100].message, "900 more findings are not shown");
    }
}
