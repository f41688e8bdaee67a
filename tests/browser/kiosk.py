#!/usr/bin/env python3
"""The browser table in a browser: starts `hyperplay kiosk` and plays at it with headless Chromium, as people would.

    python3 tests/browser/kiosk.py PROGRAM [FOLDER] [TEST ..]

PROGRAM is the binary; FOLDER takes the screenshots (default: a temporary folder, which is removed); TEST names a test of the
class below. The tests: a whole Kuhn match by mouse, a Krieg-TicTacToe 5x5 by keyboard, connect four by clicks on the board,
a game of cards by clicks on the cards, two people at one table, a replay with the slider, a rulesheet with a mistake that is dropped on the lobby, rules whose names
look like markup, an experiment that is watched, light and dark.

At 1280 and 360 pixels, light and dark, each place that a test comes to is looked at: the page does not scroll sideways,
axe-core finds nothing serious, and a screenshot is kept. After each test the console of the browser must be free of errors;
at the end `hyperplay verify` must accept the transcripts that the kiosk kept.

Needed: the module selenium, chromium and chromedriver. Where one is missing the script says `skipped: ..` and ends with 0.
axe-core is looked for at $AXE_CORE (the file axe.min.js), then among the global packages of npm; without it, that part is
left out with a sentence.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True

from driven import Browser, Kiosk, chromium, find_axe

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WIDTHS = (1280, 360)
SCHEMES = ("light", "dark")
PROGRAM = None
PICTURES = None
AXE = None

DROP = """
const [names, texts] = arguments;
const data = new DataTransfer();
names.forEach((name, at) => data.items.add(new File([texts[at]], name)));
const zone = document.getElementById('drop');
for (const kind of ['dragenter', 'dragover', 'drop'])
  zone.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: data }));
"""

RUN_AXE = """
const done = arguments[0];
axe.run(document, { resultTypes: ['violations'] }).then(
  found => done(found.violations.filter(one => one.impact === 'serious' || one.impact === 'critical')
    .map(one => `${one.id} (${one.impact}): ${one.nodes[0].html.slice(0, 200)} ${one.nodes[0].failureSummary}`)),
  error => done([`axe-core failed: ${error}`]));
"""


# Rules whose words look like markup.
MARKUP = """
(role <b>me</b>)
(init (told <script>fail<i>))
(<= (legal <b>me</b> (<i>play</i> ?x)) (number ?x))
(number <u>1</u>) (number 2)
(<= (next done) (does <b>me</b> (<i>play</i> ?x)) (true (told ?y)))
(<= terminal (true done))
(goal <b>me</b> 100)
"""

EXPERIMENT = """
schema = "hyperplay.experiment/1"
name = "Two players of Kuhn poker"
seed = 1
games = ["kuhn_poker"]
repetitions = 12

[schedule]
kind = "round_robin"

[[player]]
name = "hyperplay"
spec = "hyperplay"

[[player]]
name = "random"
spec = "random"
"""


class KioskTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.kiosk = Kiosk(PROGRAM, "--record", "records", "--seed", "1", cwd=cls.path)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        code = cls.kiosk.stop()
        records = sorted(cls.path.glob("records/**/*.jsonl"))
        verified = [
            subprocess.run([PROGRAM, "verify", record], check=False, capture_output=True, text=True) for record in records
        ]
        cls.folder.cleanup()
        if code != 0:
            raise AssertionError(f"the kiosk ended with {code}: {''.join(cls.kiosk.said)}")
        for one in verified:
            if one.returncode != 0:
                raise AssertionError(f"verify refuses a transcript: {one.stdout}{one.stderr}")

    def setUp(self):
        self.browser.seen("light", 1280)
        self.browser.console()

    def tearDown(self):
        self.assertEqual(self.browser.console(), [], "errors on the console")

    # What the tests do with pages.

    def look(self, name):
        """Looks at the page as it is: its width, axe-core, a screenshot, at each width and in each scheme."""
        browser = self.browser
        if AXE is not None:
            browser.ask(AXE)
        for width in WIDTHS:
            for scheme in SCHEMES:
                view = f"{name}, {width}, {scheme}"
                browser.seen(scheme, width)
                wide, inner = browser.ask("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
                self.assertLessEqual(wide, inner, f"{view}: the page scrolls sideways")
                if AXE is not None:
                    self.assertEqual(browser.driver.execute_async_script(RUN_AXE), [], view)
                high = browser.ask("return document.documentElement.scrollHeight")
                browser.seen(scheme, width, min(high, 4000))
                browser.driver.save_screenshot(str(PICTURES / f"{name}-{width}-{scheme}.png"))
        browser.seen("light", 1280)

    def lobby(self):
        self.browser.open(self.kiosk.address + "/")
        self.browser.find("#games button")

    def table(self, game, **seats):
        """Opens a table from the lobby; the seats by name, the others as the form proposes."""
        self.lobby()
        self.browser.click(f"[data-game='{game}']")
        for role, player in seats.items():
            self.seat(role, player)
        self.browser.click("#open-table")

    def seat(self, role, player):
        from selenium.webdriver.support.ui import Select

        select = Select(self.browser.find(f"select[data-role='{role}']"))
        if player in [option.get_attribute("value") for option in select.options]:
            select.select_by_value(player)
            return
        select.select_by_value("…")
        field = self.browser.find(f"select[data-role='{role}'] ~ input")
        field.clear()
        field.send_keys(player)

    def goals(self):
        return dict(self.browser.each("#result tr[data-goal]", "[one.dataset.role, Number(one.dataset.goal)]"))

    # The tests.

    def test_a_whole_kuhn_match_by_mouse(self):
        browser = self.browser
        self.lobby()
        self.look("lobby")
        self.table("kuhn_poker", alice="person", bob="hyperplay")
        moves = 0
        while (state := browser.turn())[0] == "turn":
            if moves == 0:
                self.assertIn("histor", browser.text("#belief"), "the belief is told in a sentence")
                shares = browser.each("[data-probability]", "Number(one.dataset.probability)")
                self.assertTrue(shares and all(0 < share < 1 for share in shares), f"open facts: {shares}")
                browser.click("#hint summary")
                browser.click("#hint-ask")
                browser.find("#hint-answer .decision")
                self.look("kuhn-turn")
            browser.click("#moves button")
            browser.answered(state[1])
            moves += 1
        self.assertGreater(moves, 0)
        goals = self.goals()
        self.assertEqual(set(goals), {"alice", "bob"} | (set(goals) & {"random"}))
        self.assertEqual(goals["alice"] + goals["bob"], 100, "Kuhn poker has a constant sum")
        self.assertGreater(browser.count("#past .equilibrium"), 0, "the mix of the equilibrium beside the own move")
        self.look("kuhn-over")
        browser.click("#look-back")
        browser.find("#review-slider")
        browser.click("#review-last")
        browser.wait(
            "return document.querySelector('#review [data-as=truth]') && document.querySelector('#result')",
            what="the last step",
        )
        self.look("kuhn-review")
        browser.click("#review-close")
        browser.find("#result")

    def test_krieg_tictactoe_5x5_by_keyboard(self):
        from selenium.webdriver.common.keys import Keys

        browser = self.browser
        self.lobby()
        # To the search of games by Tab, to the first found by Tab, and to the form by Enter, which takes the focus there.
        for _ in range(40):
            if browser.ask("return document.activeElement.id") == "game-search":
                break
            browser.keys(Keys.TAB)
        browser.keys("krieg tictactoe 5x5", Keys.TAB, Keys.TAB)
        self.assertEqual(browser.ask("return document.activeElement.dataset.game"), "krieg_tictactoe_5x5")
        browser.keys(Keys.ENTER)
        browser.find("#table-form")
        for _ in range(20):
            browser.keys(Keys.TAB)
            if browser.ask("return document.activeElement.id") == "open-table":
                break
        browser.keys(Keys.ENTER)
        moves = 0
        while (state := browser.turn())[0] == "turn":
            if moves == 2:
                self.assertGreater(browser.count("#board .shade"), 0, "the board is shaded by the belief")
                self.look("krieg-turn")
            if moves % 2 == 0:
                self.mark_by_arrows(Keys)
            else:
                # By the search: `/` goes to it, the words of the first legal move leave one, Enter plays it.
                move = browser.ask("return document.querySelector('#moves button').dataset.move")
                browser.keys(Keys.ESCAPE)
                browser.keys("/" if browser.ask("return document.activeElement.tagName") != "INPUT" else "")
                browser.wait("return document.activeElement.id === 'move-search'")
                browser.keys(move.strip("()"), Keys.ENTER)
            browser.answered(state[1])
            moves += 1
        self.assertGreaterEqual(moves, 3, "nobody has a line of so few marks")
        self.assertEqual(set(self.goals()), {"x", "o"})
        self.look("krieg-over")

    def mark_by_arrows(self, keys):
        """Goes over the board by arrows to the first cell that a legal move names, and plays it by two times Enter."""
        browser = self.browser
        browser.ask("document.querySelector('#board .board .cell[tabindex=\"0\"]').focus()")
        for row in range(5):
            browser.keys(keys.HOME)
            for _ in range(5):
                if browser.ask("return document.activeElement.classList.contains('open')"):
                    step = browser.ask("return document.getElementById('turn').dataset.step")
                    browser.keys(keys.ENTER)
                    browser.wait("return document.activeElement.classList.contains('chosen')", what="the chosen cell")
                    browser.keys(keys.ENTER)
                    return browser.answered(step)
                browser.keys(keys.ARROW_RIGHT)
            browser.keys(keys.ARROW_DOWN)
        return self.fail("the arrows find no cell that a legal move names")

    def test_connect_four_by_clicks_on_the_board(self):
        browser = self.browser
        self.lobby()
        browser.click("[data-game='connect_four']")
        roles = browser.each("#table-form select[data-role]", "one.dataset.role")
        self.seat(roles[0], "person")
        self.seat(roles[1], "random")
        browser.click("#open-table")
        moves = 0
        while (state := browser.turn())[0] == "turn":
            if moves == 3:
                self.look("connect-four-turn")
            keys = browser.each("#board .cell.open", "one.dataset.key")
            key = keys[moves % len(keys)]
            browser.click(f"[data-key='{key}']")
            browser.find("#moves .pending")
            browser.click(f"[data-key='{key}']")
            browser.answered(state[1])
            moves += 1
        self.assertGreaterEqual(moves, 4)
        self.assertEqual(sum(self.goals().values()), 100)
        self.look("connect-four-over")

    def test_cards_are_played_by_two_clicks(self):
        browser = self.browser
        self.table("goofspiel_4_imperfect", alice="person", bob="random")
        cards = 0
        while (state := browser.turn())[0] == "turn":
            self.assertEqual(browser.count("#board .pick"), 4 - cards, "the own cards can be clicked")
            key = browser.each("#board .pick", "one.dataset.key")[0]
            browser.click(f"[data-key='{key}']")
            browser.find("#board .pick.chosen")
            browser.click(f"[data-key='{key}']")
            browser.answered(state[1])
            cards += 1
            if cards == 1:
                browser.turn()
                self.look("cards")
        self.assertGreaterEqual(cards, 2)
        self.assertEqual(sum(self.goals().values()), 100)

    def test_who_leaves_is_replaced(self):
        browser = self.browser
        self.table("tictactoe", x="person", o="random")
        browser.turn()
        address = browser.driver.current_url
        browser.click("#leave")
        browser.click("#leave")
        browser.find("#games button")
        browser.open(address)
        self.assertEqual(browser.turn()[0], "over", "the seat is played by legal moves")

    def test_two_people_at_one_table(self):
        browser = self.browser
        self.lobby()
        browser.click("[data-game='rock_paper_scissors']")
        roles = browser.each("#table-form select[data-role]", "one.dataset.role")
        self.assertEqual(len(roles), 2)
        for role in roles:
            self.seat(role, "person")
        browser.click(".more summary")
        from selenium.webdriver.support.ui import Select

        Select(browser.find("#spectators")).select_by_value("truth")
        browser.click("#open-table")
        browser.find("#links")
        self.look("links")
        links = dict(browser.each("#links li", "[one.dataset.role, one.querySelector('input').value]"))
        self.assertEqual(set(links), {*roles, ""}, "a link for each person and one for spectators")
        self.assertEqual(len(set(links.values())), 3)
        windows = {}
        lobby = browser.driver.current_window_handle
        for role, link in links.items():
            browser.driver.switch_to.new_window("tab")
            windows[role] = browser.driver.current_window_handle
            browser.seen("light", 1280)
            browser.driver.get(link)
            browser.find("#seats")
        seen = """return [document.querySelector('main').innerText, document.querySelectorAll('#moves button').length]"""
        try:
            browser.driver.switch_to.window(windows[roles[1]])
            browser.turn()
            before = browser.ask(seen)
            browser.driver.switch_to.window(windows[roles[0]])
            step = browser.turn()[1]
            browser.click("#moves button")
            browser.answered(step)
            browser.wait("return document.getElementById('moves-title').textContent === 'Move sent'")
            browser.driver.switch_to.window(windows[roles[1]])
            time.sleep(1)
            self.assertEqual(browser.ask(seen), before, "the one is told nothing of the other's answer")
            browser.click("#moves li:nth-child(2) button")
            for role in (*roles, ""):
                browser.driver.switch_to.window(windows[role])
                while browser.turn()[0] == "turn":
                    browser.click("#moves button")
                self.assertEqual(set(self.goals()), set(roles))
                self.assertEqual(browser.console(), [])
        finally:
            for window in windows.values():
                browser.driver.switch_to.window(window)
                browser.driver.close()
            browser.driver.switch_to.window(lobby)

    def test_a_replay_with_the_slider(self):
        from selenium.webdriver.common.keys import Keys
        from selenium.webdriver.support.ui import Select

        browser = self.browser
        transcript = self.path / "match.jsonl"
        words = "match krieg_tictactoe_3x3 x=hyperplay:particles=50 o=random --seed 7 --values --transcript".split()
        subprocess.run([PROGRAM, *words, transcript], check=True, capture_output=True)
        self.lobby()
        browser.driver.find_element("id", "file").send_keys(str(transcript))
        slider = browser.find("#review-slider")
        browser.wait("return document.querySelector('#review [data-step=\"0\"]')", what="step 0")
        steps = int(slider.get_attribute("max"))
        self.assertGreaterEqual(steps, 3)
        slider.send_keys(Keys.ARROW_RIGHT)
        browser.wait("return document.querySelector('#review [data-step=\"1\"]')", what="step 1")
        # The slider by mouse: to its end.
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(browser.driver).move_to_element_with_offset(slider, slider.size["width"] // 2 - 2, 0).click().perform()
        browser.wait("return document.querySelector(`#review [data-step='${arguments[0]}']`)", steps, what="the last step")
        self.assertEqual(set(self.goals()), {"x", "o"})
        marks = browser.count("#board [data-panel='0'] :is(.stroke-sign, .ring-sign, .sign, .disc)")
        self.assertGreater(marks, 0, "the truth is on the board")
        browser.click("#review-back")
        browser.wait("return document.querySelector(`#review [data-step='${arguments[0]}']`)", steps - 1)
        Select(browser.find("#review-as")).select_by_value("x")
        browser.wait("return document.querySelector('#review [data-as=x]')", what="the view of x")
        browser.find("#belief")
        self.look("replay")
        browser.click("#review-first")
        browser.wait("return document.querySelector('#review [data-step=\"0\"]')")
        self.assertGreater(browser.count("#review .decision"), 0, "why the machine moved")

    def test_a_rulesheet_with_a_mistake_dropped_on_the_lobby(self):
        browser = self.browser
        rules = (ROOT / "games" / "broken" / "undefined_relation.kif").read_text()
        line = next(at for at, text in enumerate(rules.split("\n"), 1) if text.strip() == "stuck)")
        self.lobby()
        browser.ask(DROP, ["undefined_relation.kif"], [rules])
        browser.find("#verdict")
        found = browser.each(".finding", "[one.dataset.code, Number(one.dataset.line)]")
        self.assertIn(["undefined-relation", line], found)
        self.assertEqual(browser.text(f"#line-{line}").strip(), "stuck)")
        browser.click(f".finding[data-line='{line}'] button")
        browser.wait("return document.querySelector(`#line-${arguments[0]}.looked-at`)", line, what="the line of the finding")
        self.look("findings")
        # What cannot be read at all cannot be played.
        browser.click("#close-rules")
        browser.ask(DROP, ["missing.kif"], [(ROOT / "games" / "broken" / "missing_parenthesis.kif").read_text()])
        browser.find("#verdict.bad")
        self.assertGreater(browser.count(".finding.error"), 0)
        self.assertEqual(browser.count("#play-rules"), 0)
        # The repaired text is checked again and played.
        browser.click("#edit-rules")
        repaired = rules[: rules.index("(<= terminal\n    stuck)")] + "(goal robot 100)\n"
        browser.ask("document.getElementById('rules-field').value = arguments[0]", repaired)
        browser.click("#check-rules")
        browser.click("#play-rules")
        browser.click("#open-table")
        self.assertEqual(browser.turn()[0], "over", "the only move is made by itself")
        self.assertEqual(self.goals(), {"robot": 100})

    def test_an_interaction_runs_in_real_time(self):
        browser = self.browser
        self.lobby()
        browser.ask(DROP, ["dutch_auction.sidl"], [(ROOT / "games" / "sidl" / "dutch_auction.sidl").read_text()])
        browser.click("#play-rules")
        self.seat("alice", "person")
        self.seat("bob", "legal")
        browser.ask("const field = document.getElementById('playclock'); field.value = '2'; "
                    "field.dispatchEvent(new Event('input', { bubbles: true }))")
        browser.click("#open-table")
        browser.find("#switches [data-switch='bid_a'][data-alias='silent'].chosen")
        self.assertGreater(browser.count(".clock-bar"), 0, "the chronon runs as a bar")
        browser.wait("return Number(document.getElementById('turn').dataset.step) >= 2", what="the third chronon")
        browser.click("#diagram summary")
        self.assertIn("mine(alice)", browser.text("#diagram"))
        # A setting may be changed as long as the chronon runs, and nothing happens before it is over.
        browser.click("#switches [data-alias='mine']")
        browser.find("#switches [data-alias='mine'].chosen")
        self.look("auction")
        self.assertEqual(browser.turn()[0], "over")
        self.assertEqual(set(self.goals()), {"alice", "bob"})
        self.assertRegex(browser.text("#past"), r"switch bid_a was set to mine after \d+ ms")
        self.look("auction-over")

    def test_names_that_look_like_markup_are_text(self):
        browser = self.browser
        self.lobby()
        browser.ask(DROP, ["<img src=x onerror=fail()>.kif"], [MARKUP])
        browser.click("#play-rules")
        browser.click("#open-table")
        self.assertEqual(browser.turn()[0], "turn")
        self.assertIn("<b>me</b>", browser.text("#seats"))
        self.assertIn("<script>fail<i>", browser.text("#board"))
        self.assertEqual(browser.count("main b, main i, main u, main script, main img"), 0)
        browser.click("#moves button")
        self.assertEqual(browser.turn()[0], "over")
        self.assertEqual(self.goals(), {"<b>me</b>": 100})

    def test_an_experiment_is_watched_and_its_matches_are_opened(self):
        browser = self.browser
        (self.path / "small.toml").write_text(EXPERIMENT)
        run = ["experiment", "run", "small.toml", "--out", "small"]
        subprocess.run([PROGRAM, *run], cwd=self.path, check=True, capture_output=True)
        kiosk = Kiosk(PROGRAM, "--watch", "small", cwd=self.path)
        try:
            browser.open(kiosk.address + "/")
            browser.click("#to-watch")
            browser.wait("return document.querySelectorAll('#watch-scores tr[data-player]').length === 2", what="two scores")
            played, planned = browser.text("#watch-progress strong").split(" of ")
            self.assertEqual(played, planned)
            means = browser.each("#watch-scores tr td:nth-child(2)", "Number(one.textContent)")
            self.assertAlmostEqual(sum(means), 100, delta=0.2, msg="Kuhn poker has a constant sum")
            self.look("watch")
            browser.click("#transcripts button")
            browser.find("#review-slider")
            browser.click("#review-last")
            browser.find("#result")
            self.assertEqual(set(self.goals()), {"alice", "bob"})
        finally:
            self.assertEqual(kiosk.stop(), 0)

    def test_the_theme_can_be_chosen(self):
        browser = self.browser
        self.lobby()
        ground = "return getComputedStyle(document.body).backgroundColor"
        light = browser.ask(ground)
        browser.seen("dark", 1280)
        dark = browser.ask(ground)
        self.assertNotEqual(light, dark)
        browser.click("#theme")
        self.assertEqual(browser.ask(ground), light, "light is chosen, though the system is dark")
        browser.open(self.kiosk.address + "/")
        browser.find("#games button")
        self.assertEqual(browser.ask(ground), light, "the choice is kept")
        browser.click("#theme")
        self.assertEqual(browser.ask(ground), dark)
        browser.click("#theme")


def missing():
    """What the tests need and this machine has not; nothing if all is there."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "there is no module selenium (pip install selenium)"
    if not chromium():
        return "there is no chromium"
    return None if shutil.which("chromedriver") else "there is no chromedriver (package chromium-driver)"


def main():
    global PROGRAM, PICTURES, AXE
    lacking = missing()
    if lacking:
        return print(f"skipped: {lacking}")
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = pathlib.Path(sys.argv[1]).resolve()
    AXE = find_axe()
    if AXE is None:
        print("axe-core is not installed (npm install -g axe-core, or AXE_CORE): its part is left out", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        PICTURES = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else temporary).resolve()
        PICTURES.mkdir(parents=True, exist_ok=True)
        names = [f"KioskTest.{name}" for name in sys.argv[3:]]
        unittest.main(argv=["kiosk.py", "-v", *names])


if __name__ == "__main__":
    main()
