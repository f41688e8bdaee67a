"""Rulesheets as OpenSpiel games: importing this module registers the game `gdl`, as docs/python.md explains."""

# The role `random` is chance. A role that has one legal move makes it without being asked. The information state of a player is its
# evidence: its own moves and its percepts, step by step.

import numpy as np
import pyspiel

import hyperplay

# rules: the name of a game or the path of a file, without a comma or a bracket, which OpenSpiel reads as its own. unit: goal points for a
# payoff of 1; a payoff is the goal less its even share of the sum of the goals. simultaneous: whether roles that have a choice in the same
# step choose at once, or one after the other without seeing each other's choice. max_steps and goal_sum: the longest match, and the sum of
# the goals at every end, which makes the game one of zero sum; 0 and -1 stand for what exploring the states shows. max_moves: the most legal
# moves of a role in one state, where rules neither ground nor declare their moves: there an action is the place of a move among the legal ones.
_PARAMETERS = {"rules": "", "unit": 1.0, "simultaneous": False, "max_steps": 0, "goal_sum": -1, "max_moves": 1_000}
#: Where the rules do not say how long a match may be: steps that it may have.
UNKNOWN_LENGTH = 1_000
#: States are explored up to this number of joint moves for the length of a match and the sum of the goals.
EXPLORED = 100_000


def _game_type(
    parameters, simultaneous=False, hidden=True, chance=True, utility=pyspiel.GameType.Utility.GENERAL_SUM, players=16, tensors=True
):
    kinds = pyspiel.GameType
    return kinds(
        short_name="gdl",
        long_name="A game from rules in GDL or GDL-II",
        dynamics=kinds.Dynamics.SIMULTANEOUS if simultaneous else kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if chance else kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.IMPERFECT_INFORMATION if hidden else kinds.Information.PERFECT_INFORMATION,
        utility=utility,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=players,
        min_num_players=1 if players == 16 else players,
        provides_information_state_string=True,
        provides_information_state_tensor=tensors,
        provides_observation_string=True,
        provides_observation_tensor=tensors,
        parameter_specification=parameters,
    )


class GdlGame(pyspiel.Game):
    """A game from rules."""

    def __init__(self, params=None):
        params = {**_PARAMETERS, **(params or {})}
        if not params["rules"]:
            raise hyperplay.HyperplayError("gdl has no rules; name them, as in gdl(rules=kuhn_poker)")
        self.rules = hyperplay.load(params["rules"])
        self.players = [role for role in self.rules.roles if role != self.rules.random]
        try:
            self.moves = {role: self.rules.moves(role) for role in self.rules.roles}
            self.percepts = {role: self.rules.percepts(role) for role in self.players}
            self.most = {role: len(moves) for role, moves in self.moves.items()}
            self.hides = any(self.percepts.values())
        except hyperplay.HyperplayError:
            self.moves = self.percepts = dict.fromkeys(self.rules.roles, [])
            self.most, self.hides = dict.fromkeys(self.rules.roles, params["max_moves"]), True
        self.numbers = {role: {move: n for n, move in enumerate(moves)} for role, moves in self.moves.items()}
        # In GDL-I everybody perceives the joint move, and the rules say so by no word.
        joint = [f"(did {role} {move})" for role in self.rules.roles for move in self.moves[role]]
        self.percepts = {role: self.percepts[role] or joint for role in self.players}
        # The interpreter is a hundred times slower, and such a game too large to be explored.
        known = self.rules.survey(limit=EXPLORED if any(self.moves.values()) else EXPLORED // 100)
        self.steps = params["max_steps"] or known["longest"] or UNKNOWN_LENGTH
        self.simultaneous = bool(params["simultaneous"])
        goal_sum = known["goal_sum"] if params["goal_sum"] < 0 else params["goal_sum"]
        self.unit, self.even = params["unit"], (goal_sum or 0) / len(self.players)
        is_constant = goal_sum is not None and len(self.players) > 1
        utility = pyspiel.GameType.Utility.ZERO_SUM if is_constant else pyspiel.GameType.Utility.GENERAL_SUM
        chance = self.rules.random is not None
        info = pyspiel.GameInfo(
            num_distinct_actions=max(self.most[role] for role in self.players),
            max_chance_outcomes=self.most.get(self.rules.random or "", 0),
            num_players=len(self.players),
            min_utility=(0 - self.even) / self.unit,
            max_utility=(100 - self.even) / self.unit,
            utility_sum=0.0 if is_constant else None,
            max_game_length=self.steps * (1 if self.simultaneous else len(self.players)),
        )
        kind = _game_type(_PARAMETERS, self.simultaneous, self.hides, chance, utility, len(self.players), any(self.moves.values()))
        super().__init__(kind, info, params)

    def __deepcopy__(self, memo):
        return self

    def new_initial_state(self):
        return GdlState(self)

    def make_py_observer(self, iig_obs_type=None, params=None):
        return _Observer(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class GdlState(pyspiel.State):
    """A state: what holds, what was chosen in the step that is not yet complete, and what everybody knows."""

    def __init__(self, game):
        super().__init__(game)
        self._game = game
        self.state = game.rules.initial_state()
        self.evidence: dict[str, tuple] = dict.fromkeys(game.players, ())
        self.pending = {}
        self._look()

    def _look(self):
        """Finds who must choose next; makes a step where nobody has to."""
        while not self.state.is_terminal:
            self.legal = {role: self.state.legal_moves(role) for role in self._game.rules.roles}
            self.open = [role for role, legal in self.legal.items() if len(legal) > 1 and role not in self.pending]
            # Chance first: a player's choice does not wait for a draw that nobody sees.
            self.open.sort(key=lambda role: role != self._game.rules.random)
            if self.open:
                return
            self._step()
        self.legal, self.open = {}, []

    def _step(self):
        made = {role: self.pending.get(role, legal[0]) for role, legal in self.legal.items()}
        percepts = self.state.percepts(made)
        for role, steps in self.evidence.items():
            self.evidence[role] = (*steps, (made[role], tuple(percepts[role])))
        self.state, self.pending = self.state.step(made), {}

    def follow(self, history):
        """Goes along a history of joint moves, each in the order of the roles, from the initial state."""
        roles = self._game.rules.roles
        self.state, self.evidence, self.pending = self._game.rules.initial_state(), dict.fromkeys(self._game.players, ()), {}
        for joint in history:
            self.legal = {role: [move] for role, move in zip(roles, joint)}
            self._step()
        self._look()

    def move(self, role, action):
        """The move that an action of a role stands for here."""
        moves = self._game.moves[role] or self.legal.get(role, [])
        if not 0 <= action < len(moves):
            raise hyperplay.HyperplayError(f"{role} has no action {action} here; there are {len(moves)}")
        return moves[action]

    def _numbers(self, role):
        legal, most = self.legal[role], self._game.most[role]
        if len(legal) > most:
            raise hyperplay.HyperplayError(f"{role} has {len(legal)} legal moves here, more than {most}; raise max_moves")
        return self._game.numbers[role] or {move: number for number, move in enumerate(legal)}

    def _choose(self, role, action):
        move = self.move(role, action)
        if move not in self.legal[role]:
            raise hyperplay.HyperplayError(f"{role} may not do {move}; its legal moves are {', '.join(self.legal[role])}")
        self.pending[role] = move

    def current_player(self):
        if not self.open:
            return pyspiel.PlayerId.TERMINAL
        if self.open[0] == self._game.rules.random:
            return pyspiel.PlayerId.CHANCE
        return pyspiel.PlayerId.SIMULTANEOUS if self._game.simultaneous else self._game.players.index(self.open[0])

    def _legal_actions(self, player):
        role = self._game.players[player]
        if role not in self.open:
            # In a simultaneous node a player without a choice still names its only move.
            return [self._numbers(role)[move] for move in self.legal[role]] if self._game.simultaneous else []
        numbers = self._numbers(role)
        return sorted(numbers[move] for move in self.legal[role])

    def chance_outcomes(self):
        numbers = self._numbers(self._game.rules.random)
        return sorted((numbers[move], share) for move, share in self.state.chance_outcomes())

    def _apply_action(self, action):
        self._choose(self.open[0], action)
        self._look()

    def _apply_actions(self, actions):
        for role, action in zip(self._game.players, actions):
            if role in self.open:
                self._choose(role, action)
        self._look()

    def _action_to_string(self, player, action):
        role = self._game.rules.random if player == pyspiel.PlayerId.CHANCE else self._game.players[player]
        return self.move(role, action)

    def is_terminal(self):
        return not self.open

    def returns(self):
        if self.open:
            return [0.0] * len(self._game.players)
        goals = self.state.goals
        return [(goals[role] - self._game.even) / self._game.unit for role in self._game.players]

    def knowledge(self, player):
        """The evidence of a player: its steps, and its choice in the step that is not yet complete."""
        role = self._game.players[player]
        return self.evidence[role], self.pending.get(role)

    def __str__(self):
        pending = "".join(f"\n{role} has chosen {move}" for role, move in self.pending.items())
        return f"{' '.join(self.state.facts)}{pending}"


class _Observer:
    """What a player knows (with perfect recall) or what it perceived at last (without), as a tensor and as text."""

    def __init__(self, game, iig_obs_type, params):
        if params:
            raise hyperplay.HyperplayError(f"an observer of gdl has no parameters, and got {params}; leave them out")
        self._game, self._steps = game, game.steps if iig_obs_type.perfect_recall else 1
        widths = [len(game.moves[role]) + len(game.percepts[role]) for role in game.players]
        self._row = max(widths)
        self._actions = max(len(game.moves[role]) for role in game.players)
        self._columns = {role: {word: len(game.moves[role]) + n for n, word in enumerate(game.percepts[role])} for role in game.players}
        players = len(game.players)
        self.tensor = np.zeros(players + self._actions + self._steps * self._row, np.float32)
        self.dict = {
            "player": self.tensor[:players],
            "pending": self.tensor[players : players + self._actions],
            "steps": self.tensor[players + self._actions :].reshape(self._steps, self._row),
        }

    def set_from(self, state, player):
        if not self._game.numbers[self._game.players[player]]:
            raise hyperplay.HyperplayError("rules that neither ground nor declare their moves have no tensors; take the strings")
        self.tensor.fill(0)
        role, (steps, pending) = self._game.players[player], state.knowledge(player)
        self.dict["player"][player] = 1
        if pending:
            self.dict["pending"][self._game.numbers[role][pending]] = 1
        for row, (move, percepts) in zip(self.dict["steps"], steps[-self._steps :]):
            row[self._game.numbers[role][move]] = 1
            for percept in percepts:
                row[self._columns[role][percept]] = 1

    def string_from(self, state, player):
        steps, pending = state.knowledge(player)
        shown = [f"{move} sees {' '.join(percepts)}" for move, percepts in steps[-self._steps :]]
        return "\n".join([self._game.players[player], *shown, *([f"chooses {pending}"] if pending else [])])


class Resampler:
    """Draws a state that a player may be in, from its belief: for `set_resampler` of OpenSpiel's ISMCTS bot in Python."""

    def __init__(self, game, particles=200, sampler="hyperplay", seed=0):
        self._game, self._options, self._draws = game, {"particles": particles, "sampler": sampler, "seed": seed}, 0
        self._beliefs = {}

    def __call__(self, state, player):
        return self.draw(player, state.knowledge(player)[0])

    def draw(self, player, steps):
        """A state in which this player is asked and has this evidence: a tuple of (own move, percepts)."""
        known, belief = self._beliefs.get(player, ((), None))
        if belief is None or steps[: len(known)] != known:
            known, belief = (), hyperplay.Belief(self._game.rules, self._game.players[player], **self._options)
        for move, percepts in steps[len(known) :]:
            belief.update(move, list(percepts))
        self._beliefs[player], self._draws = (steps, belief), self._draws + 1
        particles, seed = belief.particles, self._options["seed"] + self._draws
        drawn, rng = self._game.new_initial_state(), np.random.default_rng(seed)
        drawn.follow(particles.history(int(particles.draw(1, seed)[0])))
        # What others choose in the same step is not known yet, and chosen uniformly, as the belief assumes.
        while drawn.current_player() not in (player, pyspiel.PlayerId.SIMULTANEOUS):
            drawn.apply_action(int(rng.choice(drawn.legal_actions())))
        return drawn


def bot_player(game, make_bot, particles=50):
    """A class for `hyperplay.play`, by which a bot of OpenSpiel plays. `make_bot` is called with the number of the player."""

    # The bot is shown a state that agrees with what its role knows, drawn from a belief, and never the true one.
    class BotPlayer:
        def __init__(self, rules, role):
            self._player = game.players.index(role)
            self._resampler, self._bot = Resampler(game, particles), make_bot(self._player)

        def decide(self, evidence, legal, seed):
            steps = tuple((move, tuple(percepts)) for move, percepts in evidence)
            state = self._resampler.draw(self._player, steps)
            return state.move(game.players[self._player], self._bot.step(state))

    return BotPlayer


pyspiel.register_game(_game_type(_PARAMETERS), GdlGame)
