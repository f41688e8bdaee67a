#!/usr/bin/env python3
"""An enumerator apart from hyperplay: every history that explains the evidence of a role, with its exact probability.

It speaks the protocol of samplers in other languages (docs/extending.md) and has the rules of two games, Kuhn poker and
Krieg-TicTacToe 3x3, written here by hand from their descriptions. It does not read the rulesheet. All roles choose uniformly;
`particles`, `seed` and limits have no effect.
"""

import itertools
import json
import sys

CARDS = ("jack", "queen", "king")
LINES = [[(1, 1), (2, 2), (3, 3)], [(1, 3), (2, 2), (3, 1)]]
LINES += [[(row, column) for column in (1, 2, 3)] for row in (1, 2, 3)]
LINES += [[(row, column) for row in (1, 2, 3)] for column in (1, 2, 3)]


class Kuhn:
    """A state is the cards dealt so far, Alice's first, and the words said so far."""

    roles = ("alice", "bob", "random")
    ends = {("check", "check"), ("bet", "fold"), ("bet", "call"), ("check", "bet", "fold"), ("check", "bet", "call")}
    start = ((), ())

    def over(self, state):
        return state[1] in self.ends

    def speaker(self, state):
        return len(state[1]) % 2 if len(state[0]) == 2 else None

    def legal(self, state, role):
        cards, words = state
        if role == 2:
            if len(cards) == 2:
                return ["noop"]
            return [f"(deal {self.roles[len(cards)]} {card})" for card in CARDS if card not in cards]
        if self.speaker(state) != role:
            return ["noop"]
        return ["fold", "call"] if words and words[-1] == "bet" else ["check", "bet"]

    def step(self, state, joint):
        """The next state, and what each role sees."""
        cards, words = state
        if len(cards) < 2:
            card = joint[2].strip("()").split()[2]
            seen = [[], [], []]
            seen[len(cards)] = [f"(your_card {card})"]
            return (cards + (card,), words), seen
        speaker = self.speaker(state)
        word = joint[speaker]
        seen = [f"(says {self.roles[speaker]} {word})"]
        words += (word,)
        if words in self.ends and word != "fold":
            seen += [f"(shows {self.roles[of]} {cards[of]})" for of in (0, 1)]
        return (cards, words), [seen, seen, []]


class Krieg:
    """A state is the cells of each role, and the cells that each was refused since its last success."""

    roles = ("x", "o")
    start = ((frozenset(), frozenset()), (frozenset(), frozenset()))
    cells = [(row, column) for row in (1, 2, 3) for column in (1, 2, 3)]

    def over(self, state):
        cells, refused = state
        has_line = any(all(cell in own for cell in line) for own in cells for line in LINES)
        taken = cells[0] | cells[1]
        return has_line or any(all(cell in taken or cell in of for cell in self.cells) for of in refused)

    def legal(self, state, role):
        cells, refused = state
        return [f"(mark {r} {c})" for r, c in self.cells if (r, c) not in cells[role] | refused[role]]

    def step(self, state, joint):
        cells, refused = state
        tried = [tuple(int(word) for word in move.strip("()").split()[1:]) for move in joint]
        taken = cells[0] | cells[1]
        works = [cell not in taken and tried[0] != tried[1] for cell in tried]
        after = tuple(own | {cell} if ok else own for own, cell, ok in zip(cells, tried, works))
        refusals = tuple(frozenset() if ok else of | {cell} for of, cell, ok in zip(refused, tried, works))
        return (after, refusals), [["yes" if ok else "no"] for ok in works]


def histories(game, role, evidence, is_over):
    """Depth first over all joint moves."""

    def extend(state, moves, probability):
        number = len(moves)
        if number == len(evidence):
            if game.over(state) == is_over:
                yield moves, probability
            return
        if game.over(state):
            return
        legal = [game.legal(state, of) for of in range(len(game.roles))]
        if evidence[number]["move"] not in legal[role]:
            return
        legal[role] = [evidence[number]["move"]]
        share = probability
        for of in legal:
            share /= len(of)
        for joint in itertools.product(*legal):
            after, seen = game.step(state, joint)
            if sorted(seen[role]) == sorted(evidence[number]["sees"]):
                yield from extend(after, moves + [list(joint)], share)

    return extend(game.start, [], 1.0)


GAMES = {"kuhn_poker": Kuhn(), "krieg_tictactoe_3x3": Krieg()}
game = role = None
for line in sys.stdin:
    asked = json.loads(line)
    if "schema" in asked:
        game = GAMES[asked["game"].split("/")[-1].removesuffix(".kif")]
        role = game.roles.index(asked["role"])
        continue
    found = histories(game, role, asked["evidence"], asked["over"])
    answer = [{"moves": moves, "weight": weight} for moves, weight in found]
    print(json.dumps({"id": asked["id"], "histories": answer}), flush=True)
