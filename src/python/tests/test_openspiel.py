"""OpenSpiel: its own algorithms and tests on our rules, and its own games against ours."""

import os
import random
import re

import pytest

import hyperplay as hp

pyspiel = pytest.importorskip("pyspiel")
import hyperplay.openspiel as bridge  # noqa: E402


@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize(
    "name",
    ["kuhn_poker", "leduc_poker", "tictactoe", "phantom_tictactoe", "goofspiel_4_imperfect", "rock_paper_scissors",
     "kuhn_poker_3p", "monty_hall", "krieg_tictactoe_3x3"],
)
def test_openspiel_finds_no_fault(name, simultaneous):
    game = pyspiel.load_game(f"gdl(rules={name},simultaneous={simultaneous})")
    pyspiel.random_sim_test(game, num_sims=3, serialize=False, verbose=False)


UNGROUND = """
(role ann) (role ben) (role random)
(init (pile z))
(<= (legal ann (take ?n)) (true (pile ?n)))
(<= (legal ann more) (not (true ended)))
(<= (legal ben (guess ?n)) (true (pile ?n)))
(<= (legal ben wait) (not (true ended)))
(<= (legal random (add ?n)) (true (pile ?n)))
(<= (legal random (add (s ?n))) (true (pile ?n)))
(<= (next (pile (s ?n))) (does ann more) (does random (add ?n)))
(<= (next ended) (does ann (take ?n)))
(<= (sees ben (bigger ?n)) (does random (add ?n)))
(<= terminal (true ended))
(<= terminal (true (pile (s (s (s (s ?n)))))))
(goal ann 50) (goal ben 50) (goal random 0)
"""


def test_rules_that_do_not_ground_are_served_by_the_interpreter(tmp_path):
    path = tmp_path / "unground.kif"
    path.write_text(UNGROUND)
    game = pyspiel.load_game(f"gdl(rules={path},max_moves=4,max_steps=20)")
    with pytest.raises(hp.HyperplayError, match="no arrays"):
        game.rules.fluents
    assert not game.get_type().provides_information_state_tensor and game.num_distinct_actions() == 4
    pyspiel.random_sim_test(game, num_sims=5, serialize=False, verbose=False)
    state, draw = game.new_initial_state(), bridge.Resampler(game)
    state.apply_action(1)
    state.apply_action(state.legal_actions()[0])
    assert draw(state, 1).information_state_string(1) == state.information_state_string(1)
    with pytest.raises(Exception, match="no tensors"):
        state.information_state_tensor(0)


def partition(game, player, limit):
    """Returns, and the histories that a player cannot tell apart, over all histories by the numbers of their moves."""
    ends, sets, open_, seen = {}, {}, [game.new_initial_state()], 0
    while open_:
        state = open_.pop()
        seen += 1
        assert seen <= limit
        if state.is_terminal():
            ends[words(state)] = tuple(round(value, 6) for value in state.returns())
            continue
        if state.current_player() == player:
            sets.setdefault(state.information_state_string(player), set()).add(words(state))
        open_.extend(state.child(action) for action in state.legal_actions())
    return ends, {frozenset(histories) for histories in sets.values()}


#: The cards and moves of OpenSpiel's Kuhn poker in ours.
KUHN = {"Deal:0": "jack", "Deal:1": "queen", "Deal:2": "king", "Pass": "pass", "Bet": "bet"}
OURS = {"check": "pass", "fold": "pass", "call": "bet", "bet": "bet"}


def words(state):
    """A history in words that both games share."""
    shown, history = [], state.get_game().new_initial_state()
    for action in state.history():
        text = history.action_to_string(history.current_player(), action)
        shown.append(KUHN[text] if text in KUHN else OURS[text] if text in OURS else text.split()[-1].strip(")"))
        history.apply_action(action)
    return tuple(shown)


def test_kuhn_poker_is_openspiels():
    for player in range(2):
        ours = partition(pyspiel.load_game("gdl(rules=kuhn_poker,unit=25.0)"), player, 100)
        assert ours == partition(pyspiel.load_game("kuhn_poker"), player, 100)
        assert len(ours[0]) == 30 and len(ours[1]) == 6


def key(text):
    """A move in words that our game and OpenSpiel's share."""
    text = text.lower()
    if "chance outcome" in text:
        card = int(text.split(":")[1])
        return ("jack", "queen", "king")[card // 2], ("hearts", "spades")[card % 2]
    if "deal" in text:
        return tuple(text.strip("()").split()[-1].split("_of_"))
    if text.startswith("roll"):
        return ("roll", int(text.split()[1]))
    if text.startswith("(roll"):
        return ("roll", int(text.strip("()").split()[2]))
    if text.startswith("(move"):
        return tuple(int(number) for number in text.strip("()").split()[1:])
    squares = re.fullmatch("([a-h])([1-8])([a-h])([1-8])\\*?", text)
    if squares:
        # OpenSpiel's first player begins at the top.
        column = {letter: number for number, letter in enumerate("abcdefgh", 1)}
        return column[squares[1]], 9 - int(squares[2]), column[squares[3]], 9 - int(squares[4])
    numbers = [int(number) for number in re.findall("\\d+", text)]
    if text[1:2] == "(":
        return tuple(number + 1 for number in numbers)
    return tuple(numbers) or (text,)


@pytest.mark.parametrize(
    "ours, theirs",
    [("leduc_poker,unit=3.0", "leduc_poker"), ("liars_dice_1x6,unit=50.0", "liars_dice"), ("phantom_tictactoe,unit=50.0,goal_sum=100", "phantom_ttt"),
     ("tictactoe,unit=50.0", "tic_tac_toe"), ("breakthrough,unit=50.0,goal_sum=100", "breakthrough")],
)
def test_random_matches_are_those_of_openspiels_own_game(ours, theirs):
    """Who moves, what is legal, what is won, and which histories a player cannot tell apart, on HYPERPLAY_MATCHES random matches."""
    games = pyspiel.load_game(f"gdl(rules={ours})"), pyspiel.load_game(theirs)
    rng, alike = random.Random(1), ({}, {})
    for _ in range(int(os.environ.get("HYPERPLAY_MATCHES", 60))):
        states = [game.new_initial_state() for game in games]
        while not states[1].is_terminal():
            mine, other = states
            assert not mine.is_terminal() and mine.current_player() == other.current_player()
            player = mine.current_player()
            actions = [{key(state.action_to_string(player, action)): action for action in state.legal_actions()} for state in states]
            assert actions[0].keys() == actions[1].keys(), (str(mine), str(other))
            if player >= 0 and games[1].get_type().provides_information_state_string:
                texts = [state.information_state_string(player) for state in states]
                assert alike[0].setdefault((player, texts[0]), texts[1]) == texts[1]
                # In GDL-II a role knows how many steps were made, so it counts the refused marks of the other.
                if theirs != "phantom_ttt":
                    assert alike[1].setdefault((player, texts[1]), texts[0]) == texts[0]
            move = rng.choice(sorted(actions[0], key=str))
            # A move that is forced in our game is made without being asked for.
            for state, legal in zip(states, actions):
                state.apply_action(legal[move])
            while states[0].is_terminal() and not states[1].is_terminal() and len(states[1].legal_actions()) == 1:
                states[1].apply_action(states[1].legal_actions()[0])
        assert states[0].is_terminal() and states[0].returns() == pytest.approx(states[1].returns())


def test_openspiels_cfr_plus_solves_leduc_poker_a_little():
    from open_spiel.python.algorithms import cfr, exploitability

    game = pyspiel.load_game("gdl(rules=kuhn_poker,unit=25.0)")
    solver = cfr.CFRPlusSolver(game)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(game, solver.average_policy()) < 0.01


def test_openspiels_mccfr_learns_a_game_that_openspiel_lacks():
    from open_spiel.python.algorithms import exploitability, external_sampling_mccfr

    game = pyspiel.load_game("gdl(rules=simplified_poker,unit=25.0)")
    solver = external_sampling_mccfr.ExternalSamplingSolver(game, external_sampling_mccfr.AverageType.SIMPLE)
    gaps = []
    for iterations in (10, 290):
        for _ in range(iterations):
            solver.iteration()
        gaps.append(exploitability.nash_conv(game, solver.average_policy()))
    assert gaps[1] < 0.3 and gaps[1] < gaps[0], gaps


def test_tensors_tell_information_states_apart():
    game = pyspiel.load_game("gdl(rules=phantom_tictactoe)")
    rng, texts = random.Random(1), {}
    for _ in range(200):
        state = game.new_initial_state()
        while not state.is_terminal():
            player = state.current_player()
            tensor = tuple(state.information_state_tensor(player))
            assert len(tensor) == game.information_state_tensor_size()
            assert texts.setdefault(tensor, state.information_state_string(player)) == state.information_state_string(player)
            state.apply_action(rng.choice(state.legal_actions()))
    assert len(set(texts.values())) == len(texts) > 500


@pytest.mark.parametrize("name", ["phantom_tictactoe", "krieg_tictactoe_3x3", "kuhn_poker", "goofspiel_4_imperfect"])
def test_a_resampled_state_has_the_same_evidence(name):
    game = pyspiel.load_game(f"gdl(rules={name})")
    resample, rng = bridge.Resampler(game_of(game)), random.Random(3)
    state = game.new_initial_state()
    while not state.is_terminal():
        player = state.current_player()
        for _ in range(3 if player >= 0 else 0):
            drawn = resample(state, player)
            assert drawn.information_state_string(player) == state.information_state_string(player)
            assert drawn.current_player() == player and drawn.legal_actions() == state.legal_actions()
        state.apply_action(rng.choice(state.legal_actions()))


def game_of(game):
    """The Python object behind a game of pyspiel."""
    return game.new_initial_state()._game


def test_openspiels_ismcts_plays_a_game_that_it_cannot_resample_itself():
    from open_spiel.python.algorithms import ismcts
    from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator
    import numpy as np

    game = pyspiel.load_game("gdl(rules=krieg_tictactoe_3x3)")
    bot = ismcts.ISMCTSBot(
        game=game, evaluator=RandomRolloutEvaluator(1, np.random.RandomState(1)), uct_c=20.0, max_simulations=50,
        random_state=np.random.RandomState(1),
    )
    bot.set_resampler(bridge.Resampler(game_of(game), particles=50))
    state = game.new_initial_state()
    while not state.is_terminal():
        own = state.current_player() == 0
        state.apply_action(bot.step(state) if own else random.Random(len(state.history())).choice(state.legal_actions()))


def test_a_bot_of_openspiel_plays_in_our_matches():
    import numpy as np
    from open_spiel.python.bots import uniform_random

    game = game_of(pyspiel.load_game("gdl(rules=krieg_tictactoe_3x3)"))
    bot = bridge.bot_player(game, lambda player: uniform_random.UniformRandomBot(player, np.random.RandomState(1)))
    records = hp.play(game.rules, {"x": bot, "o": "hyperplay:playouts=50"}, matches=3, seed=1)
    assert all(record["outcome"] == "over" for record in records)


def test_wrong_parameters_are_named():
    with pytest.raises((hp.HyperplayError, RuntimeError), match="rules"):
        pyspiel.load_game("gdl")
