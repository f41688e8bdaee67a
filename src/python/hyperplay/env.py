"""An environment for reinforcement learning, from any rulesheet."""

# What a role observes is its last percepts, one column a percept, behind its last move, one column a move. Where nothing is hidden it is the
# state, one column a fluent. Rewards are goals, 0 to 100, by `unit` goal points; they come with the end of a match.

import numpy as np

import hyperplay


class VectorEnv:
    """N matches of a game side by side; a match that is over begins anew with the next step."""

    def __init__(self, game, matches, *, seed=0, unit=1.0):
        self.game = game if isinstance(game, hyperplay.Game) else hyperplay.load(game)
        self.roles = [role for role in self.game.roles if role != self.game.random]
        self.hides = any(self.game.percepts(role) for role in self.roles)
        self.unit, self._seeds = unit, np.random.default_rng(seed)
        self._batch = self.game.batch(matches)
        self.reset()

    def reset(self):
        """Begins all matches; returns the observations by role."""
        self._batch.reset()
        self._seen = {role: np.zeros(self.observation_shape(role), np.uint8) for role in self.roles}
        return self.observations()

    def observation_shape(self, role):
        """The shape of what a role observes: [N, columns]."""
        columns = len(self.game.moves(role)) + len(self.game.percepts(role)) if self.hides else len(self.game.fluents)
        return len(self._batch), columns

    def observations(self):
        """What each role observes now, by role: uint8 [N, columns]."""
        return dict(self._seen) if self.hides else dict.fromkeys(self.roles, self._batch.tensor())

    def legal_mask(self, role):
        """Which moves of a role are legal: bool [N, moves]."""
        return self._batch.legal_mask(role)

    def step(self, actions):
        """Makes a step of moves by role (numbers, int [N]; a role that is left out chooses at random).

        Returns observations and rewards (float [N]) by role, and which matches are over (bool [N])."""
        over = self._batch.is_terminal()
        if over.any():
            self._batch.reset(over)
        moves = self._batch.random_moves(int(self._seeds.integers(2**63)))
        for role, chosen in actions.items():
            moves[~over, self.game.roles.index(role)] = np.asarray(chosen)[~over]
        if self.hides:
            for role in self.roles:
                own = np.eye(len(self.game.moves(role)), dtype=np.uint8)[moves[:, self.game.roles.index(role)]]
                self._seen[role] = np.concatenate([own, self._batch.observe(moves, role)], axis=1)
        self._batch.step(moves)
        done = self._batch.is_terminal()
        goals = self._batch.goals() * done[:, None] / self.unit
        return self.observations(), {role: goals[:, self.game.roles.index(role)] for role in self.roles}, done
