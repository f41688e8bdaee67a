"""Environments: rewards are the goals of the matches, and PettingZoo's own tests find no fault."""

import numpy as np
import pytest

import hyperplay as hp
from hyperplay.env import VectorEnv


@pytest.mark.parametrize("name", ["kuhn_poker", "tictactoe", "goofspiel_4_imperfect", "monty_hall"])
def test_many_matches_side_by_side_have_the_goals_of_random_play(name):
    env, rng = VectorEnv(name, 256, seed=1), np.random.default_rng(1)
    sums, ends = dict.fromkeys(env.roles, 0.0), 0
    for _ in range(80):
        actions = {}
        for role in env.roles:
            mask = env.legal_mask(role)
            actions[role] = (rng.random(mask.shape) * mask).argmax(axis=1)
        seen, rewards, done = env.step(actions)
        ends += done.sum()
        for role in env.roles:
            assert seen[role].shape == env.observation_shape(role)
            assert (rewards[role][~done] == 0).all()
            sums[role] += rewards[role].sum()
    records = hp.play(env.game, {}, matches=3_000, seed=2)
    for number, role in enumerate(env.roles):
        mean = np.mean([record["goals"][env.game.roles.index(role)] for record in records])
        assert abs(sums[role] / ends - mean) < 4, (number, role)


def test_a_role_sees_its_card():
    env = VectorEnv("kuhn_poker", 8, seed=3)
    for _ in range(2):
        seen, _, _ = env.step({})
    card = {word: n for n, word in enumerate(env.game.moves("bob") + env.game.percepts("bob")) if "your_card" in word}
    assert (seen["bob"][:, list(card.values())].sum(axis=1) == 1).all()


@pytest.mark.parametrize("name", ["kuhn_poker", "tictactoe", "krieg_tictactoe_3x3"])
def test_pettingzoo_finds_no_fault(name):
    test = pytest.importorskip("pettingzoo.test")
    from hyperplay.pettingzoo import aec_env, parallel_env

    test.parallel_api_test(parallel_env(name), num_cycles=200)
    test.api_test(aec_env(name), num_cycles=200)
