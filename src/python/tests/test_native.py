"""Games, states, batches, beliefs, matches and equilibria, each against a second way to the answer."""

import copy
import itertools
import pickle
import random
import threading

import numpy as np
import pytest

import hyperplay as hp

GAMES = ["kuhn_poker", "tictactoe", "phantom_tictactoe", "krieg_tictactoe_3x3", "monty_hall", "goofspiel_4_imperfect"]


def some_states(name, seed, matches=3):
    """The states of some random matches, each with a legal joint move."""
    state, found, rng = hp.load(name).initial_state(), [], random.Random(seed)
    game = state.game
    for _ in range(matches):
        state = game.initial_state()
        while not state.is_terminal:
            moves = {role: rng.choice(state.legal_moves(role)) for role in game.roles}
            found.append((state, moves))
            state = state.step(moves)
        found.append((state, None))
    return game, found


@pytest.mark.parametrize("name", GAMES)
def test_a_batch_answers_as_its_states_do(name):
    game, found = some_states(name, 1)
    batch = game.batch(len(found))
    # The rows are brought to their states by steps of their own.
    for row, (state, _) in enumerate(found):
        assert batch[row] == game.initial_state()
    walk, rng = game.batch(64), np.random.default_rng(1)
    states = [game.initial_state()] * 64
    while not walk.is_terminal().all():
        moves = np.zeros((64, len(game.roles)), np.int64)
        for number, role in enumerate(game.roles):
            mask = walk.legal_mask(role)
            legal = game.moves(role)
            for row, state in enumerate(states):
                shown = [] if state.is_terminal else state.legal_moves(role)
                assert sorted(shown) == sorted(move for move, allowed in zip(legal, mask[row]) if allowed)
            moves[:, number] = (rng.random(mask.shape) * mask).argmax(axis=1)
        seen = {role: walk.observe(moves, role) for role in game.roles}
        for row, state in enumerate(states):
            if state.is_terminal:
                continue
            joint = {role: game.moves(role)[moves[row, number]] for number, role in enumerate(game.roles)}
            for role, percepts in state.percepts(joint).items():
                if game.percepts(role):
                    assert sorted(percepts) == sorted(np.array(game.percepts(role))[seen[role][row] == 1])
            states[row] = state.step(joint)
        walk.step(moves)
        assert [walk[row] for row in range(64)] == states
        tensor, goals = walk.tensor(), walk.goals()
        for row, state in enumerate(states):
            assert sorted(state.facts) == sorted(np.array(game.fluents)[tensor[row] == 1])
            assert (state.tensor() == tensor[row]).all()
            if state.is_terminal:
                assert list(state.goals.values()) == list(goals[row])


@pytest.mark.parametrize("name", GAMES)
def test_states_are_values(name):
    game, found = some_states(name, 2)
    for state, moves in found:
        again = pickle.loads(pickle.dumps(state))
        assert again == state and hash(again) == hash(state) and copy.deepcopy(state) == state
        assert game.state(state.facts) == state
        if moves:
            assert again.step(moves) == state.step(list(moves[role] for role in game.roles))


def test_engines_agree():
    for name in ["kuhn_poker", "phantom_tictactoe"]:
        _, found = some_states(name, 3)
        slow = hp.load(name, engine="interpreter")
        for state, moves in found:
            other = slow.state(state.facts)
            assert (other.tensor() == state.tensor()).all() and other.goals == state.goals
            assert moves is None or other.percepts(moves) == state.percepts(moves)


def test_random_steps_and_playouts_are_fixed_by_the_seed():
    game = hp.load("tictactoe")
    one, other = game.batch(50), game.batch(50)
    for seed in range(9):
        moves = one.random_moves(seed)
        assert (moves == other.random_moves(seed)).all()
        one.step(moves)
        other.step(moves, check=False)
    assert (one.tensor() == other.tensor()).all()
    start = game.batch(2)
    means = start.playouts(2_000, 1)
    assert (means == start.playouts(2_000, 1)).all() and (start.playouts(2_000, 2) != means).any()
    # X wins .585 and draws .127 of random matches (Rosenthal 2012 and many before).
    assert abs(means[0, 0] - 64.8) < 3 and abs(means.sum(axis=1) - 100).max() < 1e-9


def test_a_posterior_is_that_of_bayes():
    game = hp.load("kuhn_poker")
    belief = hp.Belief(game, "bob", particles=64)
    belief.update("noop", [])
    belief.update("noop", ["(your_card jack)"])
    assert belief.update("noop", ["(says alice bet)"]) == "enumerated"
    marginals = dict(zip(game.fluents, belief.posterior().marginals()))
    # By uniform play Alice bets with either card equally often.
    assert marginals["(holds alice king)"] == marginals["(holds alice queen)"] == 0.5
    assert marginals["(holds bob jack)"] == 1 and marginals["(holds alice jack)"] == 0
    assert len(belief.particles) == 2 and belief.method == "enumeration"
    sampled = hp.Belief(game, "bob", particles=4_000, sampler="hyperplay:enumerate=off", seed=3)
    for move, percepts in belief.evidence:
        assert sampled.update(move, percepts) == "sampled"
    assert abs(sampled.particles.marginals() - belief.particles.marginals()).max() < 0.05
    assert len(sampled.particles.states) == len(sampled.particles)
    drawn = belief.particles.draw(10_000, 1)
    assert abs(np.mean(drawn) - 0.5) < 0.03
    history = belief.particles.history(0)
    state = game.initial_state()
    for joint in history:
        state = state.step(joint)
    assert state == belief.particles.states[0]


def test_contradictory_evidence_is_inconsistent():
    belief = hp.Belief(hp.load("kuhn_poker"), "bob")
    belief.update("noop", ["(your_card jack)"])
    assert belief.outcome == "inconsistent" and len(belief.particles) == 0


class First:
    def __init__(self, game, role):
        self.steps = 0

    def decide(self, evidence, legal, seed):
        assert len(evidence) == self.steps or self.steps == 0
        self.steps = len(evidence) + 1
        return legal[0]


def test_a_player_in_python_meets_the_built_in_ones():
    game = hp.load("kuhn_poker")
    players = {"alice": First, "bob": "legal"}
    records = hp.play(game, players, matches=30, seed=5)
    assert records == hp.play(game, players, matches=30, seed=5)
    assert [record["match"] for record in records] == list(range(30))
    # `legal` makes the first legal move in the order of terms, as this class does.
    named = hp.play(game, {"alice": "legal", "bob": "legal"}, matches=30, seed=5)
    assert [record["goals"] for record in records] == [record["goals"] for record in named]
    mixed = hp.play(game, {"alice": lambda game, role: Mixed(), "bob": "hyperplay"}, matches=5, seed=1)
    assert all(record["outcome"] == "over" for record in mixed)


class Mixed:
    def decide(self, evidence, legal, seed):
        return {move: 1 / len(legal) for move in legal}


@pytest.mark.parametrize("answer", ["nothing", None, {}, {"bet": -1}, {"bet": float("nan")}, ZeroDivisionError])
def test_what_a_player_does_wrong_is_raised(answer):
    class Wrong:
        def decide(self, evidence, legal, seed):
            if answer is ZeroDivisionError:
                raise ZeroDivisionError("by design")
            return answer

    with pytest.raises((hp.HyperplayError, TypeError, ZeroDivisionError)):
        hp.play(hp.load("kuhn_poker"), {"alice": lambda game, role: Wrong()}, matches=3, seed=1)


def test_kuhn_poker_is_solved():
    game = hp.load("kuhn_poker")
    policy = hp.solve(game, unit=25, nash_conv=1e-5)
    verdict = policy.exploit()
    assert abs(verdict["values"]["alice"] + 1 / 18) < 1e-4 and verdict["nash_conv"] < 1e-5
    sets = policy.information_sets()
    assert len(sets) == 12 and {role for role, _, _ in sets} == {"alice", "bob"}
    for role, evidence, shares in sets:
        assert policy.probabilities(role, evidence) == shares and abs(sum(shares.values()) - 1) < 1e-9
    # Against uniform play: NashConv 11/12 (docs/measurements.md and OpenSpiel).
    uniform = policy.replaced(lambda role, evidence, legal: {move: 1 for move in legal})
    assert abs(uniform.exploit()["nash_conv"] - 11 / 12) < 1e-9
    response, verdict = uniform.best_response(), uniform.exploit()
    mixed = policy.replaced(
        lambda role, evidence, legal: (response if role == "alice" else uniform).probabilities(role, evidence)
    )
    assert abs(mixed.exploit()["values"]["alice"] - verdict["best_responses"]["alice"]) < 1e-9


def test_a_policy_is_written_and_read_again(tmp_path):
    game, path = hp.load("kuhn_poker"), str(tmp_path / "kuhn.json")
    policy = hp.solve(game, unit=25)
    policy.write(path)
    again = hp.read_policy(game, path, unit=25)
    assert again.information_sets() == policy.information_sets()
    with pytest.raises(hp.HyperplayError, match="not there"):
        policy.write(path)
    records = hp.play(game, {"alice": f"policy:{path}", "bob": f"policy:{path}"}, matches=20, seed=1)
    assert all(record["outcome"] == "over" for record in records)


def test_a_player_is_asked_move_by_move():
    player = hp.Player(hp.load("kuhn_poker"), "bob", "hyperplay")
    player.observe("noop", [])
    player.observe("noop", ["(your_card jack)"])
    player.observe("noop", ["(says alice bet)"])
    decision = player.decide(["call", "fold"])
    assert decision["move"] == "fold" and decision["values"] == {"call": 0.0, "fold": 25.0} and decision["reasons"]


def test_a_wrong_call_leaves_a_belief_as_it_was():
    belief = hp.Belief(hp.load("kuhn_poker"), "bob")
    for wrong in ({"seconds": -1}, {"seconds": float("nan")}):
        with pytest.raises(hp.HyperplayError):
            belief.update("noop", [], **wrong)
    assert belief.evidence == []
    assert belief.update("noop", []) == "enumerated" and len(belief.evidence) == 1


def state():
    return hp.load("kuhn_poker").initial_state()


WRONG = {
    "a game that is not there": (lambda: hp.load("no_such_game"), "hyperplay games"),
    "a bracket": (lambda: hp.load("(role a"), "rules:1:1"),
    "an engine": (lambda: hp.load("chess", engine="fast"), "interpreter"),
    "a role": (lambda: state().legal_moves("carol"), "alice, bob, random"),
    "a move": (lambda: state().step({"random": "(deal alice ace)"}), "legal_moves"),
    "too few moves": (lambda: state().step(["noop"]), "one for each role"),
    "no move where there is a choice": (lambda: state().step({}), "name one"),
    "facts that are no state": (lambda: hp.load("kuhn_poker").state(["(holds alice ace)"]), "State.facts"),
    "a shape": (lambda: hp.load("kuhn_poker").batch(3).step(np.zeros((3, 2), np.int64)), "rows, roles"),
    "a number of a move": (lambda: hp.load("kuhn_poker").batch(1).step(np.full((1, 3), 99)), "from 0"),
    "a move that is not legal": (lambda: hp.load("kuhn_poker").batch(1).step(np.zeros((1, 3), np.int64)), "legal_mask"),
    "no particles": (lambda: hp.Belief(hp.load("kuhn_poker"), "bob", particles=0), "one at least"),
    "a sampler": (lambda: hp.Belief(hp.load("kuhn_poker"), "bob", sampler="best"), "hyperplay players"),
    "a percept": (lambda: hp.Belief(hp.load("kuhn_poker"), "bob").update("noop", ["(sees )"]), "Game.percepts"),
    "a player": (lambda: hp.play(hp.load("kuhn_poker"), {"bob": "best"}), "hyperplay players"),
    "a player for random": (lambda: hp.play(hp.load("kuhn_poker"), {"random": "auto"}), "leave it out"),
    "an object that makes no player": (lambda: hp.play(hp.load("kuhn_poker"), {"bob": 3}), "class"),
    "a tree that is too large": (lambda: hp.solve(hp.load("phantom_tictactoe"), nodes=1_000), "raise `nodes`"),
    "a time": (lambda: hp.Belief(hp.load("kuhn_poker"), "bob").update("noop", [], seconds=-1), "0 or more"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_input_is_an_exception_with_a_remedy(case):
    call, remedy = WRONG[case]
    with pytest.raises(hp.HyperplayError) as raised:
        call()
    assert remedy in str(raised.value), raised.value


def test_findings_have_lines():
    game = hp.load("(role a)\n(init s)\n(legal a x)\n(<= terminal (true s) (true t))\n(goal a 100)\n")
    assert game.findings and all(1 <= finding.line <= 6 and finding.message for finding in game.findings)


def test_beliefs_on_many_threads_end_as_on_one():
    game, results = hp.load("kuhn_poker"), {}

    def work(number):
        belief = hp.Belief(game, "bob", particles=50, sampler="hyperplay:enumerate=off", seed=number)
        belief.update("noop", [])
        belief.update("noop", ["(your_card queen)"])
        results[number] = belief.particles.marginals().tolist()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    [thread.start() for thread in threads]
    [thread.join(60) for thread in threads]
    together = dict(results)
    for number in range(16):
        work(number)
    assert together == results and len(results) == 16


def test_every_built_in_game_is_loaded_and_stepped():
    for name in itertools.islice(hp.games(), 0, None, 3):
        batch = hp.load(name).batch(2)
        batch.step(batch.random_moves(1))
        assert batch.tensor().shape == (2, len(batch.game.fluents))


def test_particles_are_a_frame_that_parquet_keeps(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    belief = hp.Belief(hp.load("kuhn_poker"), "bob")
    for move, percepts in (("noop", []), ("noop", ["(your_card queen)"]), ("noop", ["(says alice bet)"])):
        belief.update(move, percepts)
    frame = belief.posterior().frame()
    assert list(frame.columns) == ["weight", "history", "facts"] and list(frame["weight"]) == [0.5, 0.5]
    frame.to_parquet(tmp_path / "particles.parquet")
    kept = pandas.read_parquet(tmp_path / "particles.parquet")
    assert [list(facts) for facts in kept["facts"]] == list(frame["facts"])
    assert [[list(joint) for joint in history] for history in kept["history"]] == [belief.posterior().history(n) for n in (0, 1)]
