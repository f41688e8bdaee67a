#!/usr/bin/env python3
"""OpenSpiel and Gambit judge what hyperplay says of small games: sizes, values, NashConv.

    tests/outside_judges.py path/to/hyperplay [--long]

Every game is written as a .efg file (`hyperplay convert --to efg`), which both programs read by themselves. They must
find the tree that `hyperplay inspect --tree` counts: nodes by kind, information sets and sequences of each player,
depth, the largest information set, and whether the payoffs have a constant sum. They must find the same values and the
same gains of best responses, thus the same NashConv, for two profiles: uniform play (`hyperplay exploit`) and the policy
of a `hyperplay solve` that was stopped early, so that its NashConv is not 0. Small constant-sum games are solved by
Gambit's linear program too, exactly, and by ours.

The round trip is .efg -> rules -> .efg -> rules -> .efg. A game with unequal chance, moves of probability 0 or nodes with
one move changes its size on the way to the rules, in a way that is known: the sizes compared are those after that change.
The values and NashConv of uniform play are the same after undoing the scale of the payoffs, which the head of the rules
names. Gambit compares the values as fractions, exactly.

It needs Python 3 and `pyspiel` or `pygambit` or both; a program that cannot be imported is skipped, and says so. What
OpenSpiel or Gambit cannot read of a file that others wrote is read as hyperplay rewrites it. The first difference ends the
script with code 1. `--long` adds larger games and the files of the catalogue that comes with pygambit.
"""

import argparse
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import warnings
from fractions import Fraction
from pathlib import Path

warnings.filterwarnings("ignore")
SAMPLES = sorted((Path(__file__).resolve().parent / "tables" / "efg").glob("*.efg"))

# Built-in games, the unit of their payoffs, and a value for the first player that is known as a fraction.
GAMES = [
    ("kuhn_poker", 25, Fraction(-1, 18)),
    ("kuhn_poker_3p", 12, None),
    ("simplified_poker", 50, None),
    ("leduc_poker", 3, None),
    ("goofspiel_4_imperfect", 50, None),
    ("dark_hex_2x2", 50, None),
    ("liars_dice_1x3", 50, None),
    ("monty_hall", 50, None),
    ("suit_and_settlement", 50, None),
    ("card_deal", 50, None),
    # Interactions in SIDL, some with uneven chances; the second one ends after four chronons at the latest.
    ("kuhn_poker.sidl", 25, Fraction(-1, 18)),
    ("paper_nature.sidl --horizon 4", 50, None),
    ("pico_turn.sidl", 50, Fraction(0)),
    ("monty_hall.sidl", 50, None),
    ("duel.sidl", 50, None),
]
LONG = [
    ("kuhn_poker_13", 25, None),
    ("liars_dice_1x4", 50, None),
    ("dark_hex_2x3_abrupt", 50, None),
    ("liars_dice_1x5", 50, None),
    ("liars_dice_1x6", 50, None),
]

# Samples that no rulesheet can represent, and the word of the refusal that says why.
REFUSED = {"fine_payoffs": "steps", "many_copies": "equally likely", "not_timeable": "timeable"}

CLOSE = 1e-9  # two sums of doubles over the same tree
EXACT = 2_000  # the largest tree whose values Gambit computes in fractions, and OpenSpiel in Python too
PROGRAM = 700  # the largest tree whose linear program Gambit solves in fractions
PLANS = 500  # the most pure strategies of a player with which Gambit computes regrets


class Difference(Exception):
    """What the programs do not agree on."""


def same(game, what, ours, theirs, judge, close=0.0):
    """Numbers, or lists of them, that must agree."""
    ours_list, theirs_list = (list(x) if isinstance(x, (list, tuple)) else [x] for x in (ours, theirs))
    if len(ours_list) == len(theirs_list) and all(
        a == b or (close and math.isclose(a, b, rel_tol=close, abs_tol=close)) for a, b in zip(ours_list, theirs_list)
    ):
        return
    raise Difference(f"{game}: {what}: ours {ours}, {judge} {theirs}")


def read_ours(judge, name, path):
    """A file that hyperplay wrote: both programs can read it."""
    try:
        return judge.read(path)
    except Exception as error:  # the programs raise types of their own
        raise Difference(f"{name}: {judge.name} cannot read what hyperplay wrote: {error}") from error


def walk(judge, game):
    """Counts a tree that a judge has read: as it is, and as it becomes when it is written as rules.

    As rules, chance has equally likely moves only, moves of probability 0 are gone, and so are nodes with one move.
    """
    count = {"nodes": 0, "chance": 0, "decisions": 0, "terminals": 0, "depth": 0}
    as_rules = {"nodes": 0, "chance": 0, "decisions": 0, "terminals": 0}
    players = judge.players(game)
    members, moves, met = {}, {}, {}
    stack = [(judge.root(game), 0, 1)]
    while stack:
        node, depth, weight = stack.pop()
        kind, children, player, key = judge.node(node)
        count["nodes"] += 1
        count[kind] += 1
        count["depth"] = max(count["depth"], depth)
        copies = [1] * len(children)
        if kind == "chance":
            parts = [Fraction(probability).limit_denominator(100_000) for probability, _ in children]
            common = math.lcm(*(part.denominator for part in parts))
            copies = [int(part * common) for part in parts]
        elif kind == "decisions":
            members[player, key] = members.get((player, key), 0) + 1
            moves[player, key] = len(children)
        if kind == "terminals" or sum(copies) > 1:
            as_rules["nodes"] += weight
            as_rules[kind] += weight
            if kind == "decisions" and weight:
                met[player, key] = met.get((player, key), 0) + weight
        for (_, child), copy in zip(children, copies):
            stack.append((child, depth + 1, weight * copy))
    per = lambda sets: [sum(1 for player, _ in sets if player == p) for p in range(players)]
    count["information sets"] = per(members)
    count["sequences"] = [1 + sum(n for (player, _), n in moves.items() if player == p) for p in range(players)]
    count["largest information set"] = max(members.values(), default=0)
    as_rules["information sets"] = per(met)
    as_rules["largest information set"] = max(met.values(), default=0)
    return count, as_rules


class OpenSpiel:
    """`efg_game`: information sets are known by the number in their state string."""

    name = "OpenSpiel"

    def __init__(self):
        import pyspiel
        from open_spiel.python import policy
        from open_spiel.python.algorithms import exploitability

        self.spiel, self.policy, self.exploitability = pyspiel, policy, exploitability

    def read(self, path):
        # A failure writes to standard error from C++; the exception says the same.
        sys.stderr.flush()
        kept, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)
        try:
            return self.spiel.load_game("efg_game", {"filename": str(path)})
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            os.close(null)

    def players(self, game):
        return game.num_players()

    def root(self, game):
        return game.new_initial_state()

    def set_number(self, state):
        return int(state.information_state_string().split("-", 3)[2])

    def node(self, state):
        if state.is_terminal():
            return "terminals", [], None, None
        if state.is_chance_node():
            return "chance", [(p, state.child(a)) for a, p in state.chance_outcomes()], None, None
        children = [(None, state.child(a)) for a in state.legal_actions()]
        return "decisions", children, state.current_player(), self.set_number(state)

    def constant_sum(self, game):
        return game.get_type().utility in (self.spiel.GameType.Utility.ZERO_SUM, self.spiel.GameType.Utility.CONSTANT_SUM)

    def table(self, game, numbered):
        """The probabilities by state string. Actions are numbered across the game, so they are found by their label."""
        if numbered is None:
            given = None
        else:
            given = {(e["player"] - 1, e["infoset"]): dict(zip(e["moves"], e["probs"])) for e in numbered}
        table, stack = {}, [game.new_initial_state()]
        while stack:
            state = stack.pop()
            if state.is_terminal():
                continue
            legal = state.legal_actions()
            stack.extend(state.child(a) for a in legal)
            if state.is_chance_node() or state.information_state_string() in table:
                continue
            if given is None:
                probabilities = [1 / len(legal)] * len(legal)
            else:
                here = given[state.current_player(), self.set_number(state)]
                probabilities = [here[state.action_to_string(a)] for a in legal]
            table[state.information_state_string()] = list(zip(legal, probabilities))
        return table

    def judge(self, game, numbered, nodes):
        """The values of the players, and what a best response of each gets, by the C++ and, in small games, the Python."""
        table = self.table(game, numbered)
        root = game.new_initial_state()
        if root.is_terminal():
            return root.returns(), root.returns()
        profile = self.spiel.TabularPolicy(table)
        values = self.spiel.expected_returns(root, profile, -1, True)
        best = [
            self.spiel.TabularBestResponse(game, player, table).value_from_state(root)
            for player in range(game.num_players())
        ]
        if nodes <= EXACT and table:
            python = self.policy.TabularPolicy(game)
            for key, row in table.items():
                python.policy_for_key(key)[:] = 0
                for action, probability in row:
                    python.policy_for_key(key)[action] = probability
            gains = self.exploitability.nash_conv(game, python, return_only_nash_conv=False).player_improvements
            same("OpenSpiel", "gains in C++ and Python", [b - v for b, v in zip(best, values)], list(gains), "Python", CLOSE)
        return values, best


class Gambit:
    """`pygambit`: information sets are numbered from 0 in the order of the file."""

    name = "Gambit"

    def __init__(self):
        import pygambit

        self.gambit = pygambit

    def read(self, path):
        return self.gambit.read_efg(str(path))

    def players(self, game):
        return len(game.players)

    def root(self, game):
        return game.root

    def node(self, node):
        if node.is_terminal:
            return "terminals", [], None, None
        if node.player.is_chance:
            return "chance", [(Fraction(str(a.prob)), c) for a, c in zip(node.infoset.actions, node.children)], None, None
        return "decisions", [(None, c) for c in node.children], node.player.number, node.infoset.number + 1

    def constant_sum(self, game):
        return game.is_const_sum

    def profile(self, game, numbered, rational=False):
        profile = game.mixed_behavior_profile(rational=rational)
        infosets = [list(player.infosets) for player in game.players]
        for entry in numbered or []:
            infoset = infosets[entry["player"] - 1][entry["infoset"] - 1]
            here = dict(zip(entry["moves"], entry["probs"]))
            for action in infoset.actions:
                profile[action] = here[action.label]
        return profile

    def judge(self, game, numbered, nodes):
        """The values, and what best responses get where the pure strategies are few."""
        profile = self.profile(game, numbered)
        values = [profile.payoff(player) for player in game.players]
        plans = max((math.prod(len(i.actions) for i in p.infosets) for p in game.players), default=1)
        if plans > PLANS or not game.is_perfect_recall:
            return values, None
        mixed = profile.as_strategy()
        return values, [value + mixed.player_regret(player) for value, player in zip(values, game.players)]

    def exact_values(self, game):
        profile = self.profile(game, None, rational=True)
        return [Fraction(str(profile.payoff(player))) for player in game.players]

    def linear_program(self, game):
        """The value of the first player, by the linear program of the sequence form in fractions.

        None where the profile found is no profile: Gambit 16.7.0 may give 0 to all moves of a set that is reached, as it
        does in `goofspiel_4_imperfect`, where 1/42 of the ends are missing and are missing in the value.
        """
        found = self.gambit.nash.lp_solve(game, rational=True).equilibria[0]
        for player in game.players:
            for infoset in player.infosets:
                if found.infoset_prob(infoset) > 0 and sum(found[action] for action in infoset.actions) != 1:
                    return None
        return Fraction(str(found.payoff(list(game.players)[0])))


class Program:
    """hyperplay."""

    def __init__(self, program, work):
        self.program, self.work, self.files = os.path.abspath(program), Path(work), itertools.count()

    def run(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        return done.stdout

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--json"))

    def write(self, suffix, *arguments):
        path = self.work / f"{next(self.files)}{suffix}"
        path.write_text(self.run(*arguments), encoding="utf-8")
        return path


def check_game(program, judges, name, game, unit, value):
    """All that is compared for one game; returns what the summary says."""
    efg = program.write(".efg", "convert", *game.split(), "--to", "efg", "--unit", unit)
    inspected = program.json("inspect", *game.split(), "--tree")
    tree = inspected["tree"]
    roles = list(tree["information_sets"])
    ours = {key: tree[key] for key in ("nodes", "chance", "decisions", "terminals", "depth")}
    ours["information sets"] = list(tree["information_sets"].values())
    ours["sequences"] = list(tree["sequences"].values())
    ours["largest information set"] = tree["largest_information_set"]

    # Uniform play, and a policy on the way to an equilibrium where a role decides anything.
    profiles = [("uniform", None, program.json("exploit", *game.split(), "--unit", unit, "--top", 0, "--seed", 1))]
    if ours["decisions"]:
        policy = program.work / f"{next(program.files)}.json"
        solved = program.json("solve", *game.split(), "--unit", unit, "--iterations", 12, "--nash-conv", 0, "--out", policy)
        written = program.run("convert", *game.split(), "--to", "efg", "--unit", unit, "--policy", policy, "--numbered")
        profiles.append((f"{solved['iterations']} iterations", json.loads(written), solved))

    for judge in judges:
        read = read_ours(judge, name, efg)
        counts, _ = walk(judge, read)
        for what, count in ours.items():
            same(name, what, count, counts[what], judge.name)
        constant = profiles[0][2]["constant_sum"]
        same(name, "constant sum", constant, judge.constant_sum(read), judge.name)
        for kind, table, said in profiles:
            values, best = judge.judge(read, table, ours["nodes"])
            get = lambda key: [said["roles"][role][key] for role in roles]
            same(name, f"{kind}: values", get("value"), values, judge.name, CLOSE)
            if best is not None:
                same(name, f"{kind}: best responses", get("best_response"), best, judge.name, CLOSE)
                gains = sum(b - v for b, v in zip(best, values))
                same(name, f"{kind}: NashConv", said["nash_conv"], gains, judge.name, CLOSE)

    summary = f"{ours['nodes']:,} nodes, {sum(ours['information sets']):,} information sets"
    summary += "".join(f", NashConv {abs(said['nash_conv']):.4g} ({kind})" for kind, _, said in profiles)
    gambit = next((judge for judge in judges if judge.name == "Gambit"), None)
    if gambit and constant and len(roles) == 2 and ours["nodes"] <= PROGRAM and ours["decisions"]:
        theirs = gambit.linear_program(read_ours(gambit, name, efg))
        if value is not None:
            same(name, "the known value and that of the linear program", value, theirs, "Gambit")
        if theirs is None:
            summary += "; Gambit's linear program gives no profile"
        else:
            check_value(program, name, game, unit, theirs)
            summary += f", value {theirs}"
    return summary


def check_value(program, name, game, unit, theirs):
    """Our solvers are as far from the value as their NashConv says, or nearer."""
    for method in ("auto", "lp"):
        limits = ("--nash-conv", 1e-7, "--seconds", 20)
        solved = program.json("solve", *game.split(), "--unit", unit, "--method", method, *limits)
        ours = next(iter(solved["roles"].values()))["value"]
        if abs(ours - theirs) > solved["nash_conv"] + CLOSE:
            raise Difference(f"{name}: value by --method {method}: ours {ours}, Gambit {theirs}, NashConv {solved['nash_conv']}")


def scales(rules):
    """What a goal is worth to each role, from the head of rules that were a .efg file: payoff = base + step * goal."""
    found = re.findall(r"^; (\S+): payoff = (\S+) \+ (\S+) \* goal", rules.read_text(encoding="utf-8"), re.M)
    return {role: (Fraction(base), Fraction(step)) for role, base, step in found}


def check_round_trip(program, judges, name, efg):
    """A .efg file as rules and back, twice; returns the rules, or None where rules cannot represent it."""
    rules = program.write(".kif", "convert", efg, "--to", "kif")
    back = program.write(".efg", "convert", rules, "--to", "efg")
    again = program.write(".kif", "convert", back, "--to", "kif")
    last = program.write(".efg", "convert", again, "--to", "efg")
    tidy = program.write(".efg", "convert", efg, "--to", "efg")
    for judge in judges:
        try:
            first = judge.read(efg)
        except Exception:  # neither program has a type for what it cannot read
            first = read_ours(judge, name, tidy)
        counts, expected = walk(judge, first)
        for what, count in walk(judge, read_ours(judge, name, tidy))[0].items():
            same(name, f"as hyperplay rewrites the file: {what}", count, counts[what], judge.name)
        scale_of = {}
        for step, path, head in (("the first way back", back, rules), ("the second way back", last, again)):
            found = read_ours(judge, name, path)
            counted, unchanged = walk(judge, found)
            for what, count in expected.items():
                same(name, f"{step}: {what}", count, counted[what], judge.name)
                same(name, f"{step}: {what}, written as rules once more", count, unchanged[what], judge.name)
            # Payoffs of `found` are (goal - 50) / 50; `head` says what goals were in the file before it.
            roles = list(scales(head).values())
            undo = [(base + 50 * step_, 50 * step_) for base, step_ in roles]
            scale_of = undo if not scale_of else [(a + b * c, b * d) for (a, b), (c, d) in zip(scale_of, undo)]
            check_values(judge, name, step, first, found, scale_of, counts["nodes"])
    return rules


def check_recall(judges, name, efg, perfect):
    """Whether players remember what they did: GDL-II knows no other games."""
    for judge in judges:
        if judge.name == "Gambit":
            same(name, "perfect recall", perfect, judge.read(efg).is_perfect_recall, judge.name)


def check_values(judge, name, step, first, found, scale, nodes):
    """The values and gains of uniform play, after undoing the scale of the payoffs."""
    values, best = judge.judge(first, None, nodes)
    back_values, back_best = judge.judge(found, None, nodes)
    undone = [float(a + b * Fraction(v)) for (a, b), v in zip(scale, back_values)]
    same(name, f"{step}: values", undone, values, judge.name, CLOSE)
    if best is not None and back_best is not None:
        gains = [x - y for x, y in zip(best, values)]
        undone = [float(b) * (x - y) for (_, b), x, y in zip(scale, back_best, back_values)]
        same(name, f"{step}: gains", undone, gains, judge.name, CLOSE)
    if judge.name == "Gambit" and nodes <= EXACT:
        undone = [a + b * v for (a, b), v in zip(scale, judge.exact_values(found))]
        same(name, f"{step}: values as fractions", undone, judge.exact_values(first), judge.name)


def catalogue(judges):
    """The .efg files that come with pygambit."""
    for judge in judges:
        if judge.name == "Gambit":
            return sorted(Path(judge.gambit.__file__).parent.glob("catalog_data/**/*.efg"))
    return []


def main():
    parser = argparse.ArgumentParser(description="OpenSpiel and Gambit judge what hyperplay says of small games.")
    parser.add_argument("program", help="path to hyperplay")
    parser.add_argument("--long", action="store_true", help="larger games and the catalogue of Gambit as well")
    arguments = parser.parse_args()
    judges = []
    for judge in (OpenSpiel, Gambit):
        try:
            judges.append(judge())
        except ImportError as error:
            print(f"skipped: {judge.name}, {error}")
    if not judges:
        return
    with tempfile.TemporaryDirectory() as work:
        program = Program(arguments.program, work)
        trips, refused, files = 0, 0, [(path.stem, path) for path in SAMPLES]
        for game, unit, value in GAMES + (LONG if arguments.long else []):
            print(f"{game}: {check_game(program, judges, game, game, unit, value)}", flush=True)
        if arguments.long:
            root = Path(sys.modules["pygambit"].__file__).parent / "catalog_data" if catalogue(judges) else None
            files += [(str(path.relative_to(root)), path) for path in catalogue(judges)]
        for game, unit, _ in GAMES:
            files.append((f"{game}, exported", program.write(".efg", "convert", *game.split(), "--to", "efg", "--unit", unit)))
        for name, path in files:
            try:
                rules = check_round_trip(program, judges, name, path)
            except RuntimeError as error:
                said = " ".join(str(error).replace(f"error: {path}: ", "").split())
                if path in SAMPLES and REFUSED.get(name, "\0") not in said:
                    raise Difference(f"{name}: refused without a known reason: {said}") from error
                check_recall(judges, name, path, "imperfect recall" not in said and "absent-mindedness" not in said)
                refused += 1
                print(f"{name}: refused: {said}", flush=True)
                continue
            check_recall(judges, name, program.write(".efg", "convert", path, "--to", "efg"), True)
            trips += 1
            said = "round trip"
            if not name.endswith(", exported"):
                said += "; as rules " + check_game(program, judges, name, str(rules), 50, None)
            print(f"{name}: {said}", flush=True)
        if trips < 20:
            raise Difference(f"only {trips} files made the round trip")
    names = " and ".join(judge.name for judge in judges)
    print(f"{names} agree: {trips} round trips, {refused} files that rules cannot represent")


if __name__ == "__main__":
    try:
        main()
    except Difference as difference:
        sys.exit(f"DIFFERENCE in {difference}")
