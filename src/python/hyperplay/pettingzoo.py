"""Environments of PettingZoo from any rulesheet."""

import gymnasium
import numpy as np
import pettingzoo
from pettingzoo.utils.conversions import parallel_to_aec

from hyperplay.env import VectorEnv


def parallel_env(game, *, seed=0, unit=1.0):
    """An environment of PettingZoo in which all roles choose in every step. Observations have `observation` and `action_mask`."""
    env = VectorEnv(game, 1, seed=seed, unit=unit)
    moves = {role: len(env.game.moves(role)) for role in env.roles}
    seen = {role: gymnasium.spaces.Box(0, 1, env.observation_shape(role)[1:], np.uint8) for role in env.roles}
    masks = {role: gymnasium.spaces.Box(0, 1, (moves[role],), np.int8) for role in env.roles}

    class Parallel(pettingzoo.ParallelEnv):
        metadata = {"name": env.game.name, "render_modes": ["ansi"], "is_parallelizable": True}
        render_mode, possible_agents, agents = "ansi", list(env.roles), []
        observation_spaces = {
            role: gymnasium.spaces.Dict({"observation": seen[role], "action_mask": masks[role]}) for role in env.roles
        }
        action_spaces = {role: gymnasium.spaces.Discrete(moves[role]) for role in env.roles}

        def observation_space(self, agent):
            return self.observation_spaces[agent]

        def action_space(self, agent):
            return self.action_spaces[agent]

        def _observed(self, observations):
            mask = {role: env.legal_mask(role)[0].astype(np.int8) for role in observations}
            return {role: {"observation": seen[0], "action_mask": mask[role]} for role, seen in observations.items()}

        def reset(self, seed=None, options=None):
            if seed is not None:
                env._seeds = np.random.default_rng(seed)
            self.agents = list(self.possible_agents)
            return self._observed(env.reset()), {role: {} for role in self.agents}

        def step(self, actions):
            seen, rewards, done = env.step({role: np.array([action]) for role, action in actions.items()})
            over = dict.fromkeys(self.agents, bool(done[0]))
            result = self._observed(seen), {role: float(reward[0]) for role, reward in rewards.items()}, over
            infos: dict[str, dict] = {role: {} for role in self.agents}
            self.agents = [] if done[0] else self.agents
            return *result, dict.fromkeys(over, False), infos

        def render(self):
            return repr(env._batch[0])

    return Parallel()


def aec_env(game, *, seed=0, unit=1.0):
    """An environment of PettingZoo in which the roles choose one after the other; a step of the game is made after the last of them."""
    return parallel_to_aec(parallel_env(game, seed=seed, unit=unit))
