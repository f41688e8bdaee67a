//! The examples at the end of every help text. A test runs each of them.

/// Below the overview.
pub const OVERVIEW: &str = "\
Examples:
  hyperplay games
  hyperplay match kuhn_poker alice=hyperplay bob=random --matches 200 --seed 1
  hyperplay check games/broken/several_goals.kif --simulate 100

Exit codes: 0 done; 1 a failure, or findings; 2 a usage error; 3 incomplete; 130 interrupted.";

/// Below `match`.
pub const MATCH: &str = "\
Examples:
  hyperplay match kuhn_poker alice=hyperplay bob=random --matches 200 --seed 1
  hyperplay match monty_hall candidate=hyperplay:particles=8 --seed 1 --verbose
  hyperplay match tictactoe x=clairvoyant --playclock 0.1 --json
  hyperplay match games/imperfect/leduc_poker.kif --matches 1000 --seed 7 --transcript leduc.jsonl";

/// Below `serve`.
pub const SERVE: &str = "\
Examples:
  hyperplay serve
  hyperplay serve --port 9148 --player hyperplay:particles=500 --matches 4
  hyperplay serve --listen 0.0.0.0 --record matches --log-format json

The address is printed when the server listens. Ctrl-C and SIGTERM end it, with exit code 0; records of running matches are kept.";

/// Below `host`.
pub const HOST: &str = "\
Examples:
  hyperplay host kuhn_poker alice=http://127.0.0.1:9147 bob=hyperplay --playclock 5 --seed 1
  hyperplay host tictactoe x=http://127.0.0.1:9147 --dialect gdl1 --on-fault first --matches 10
  hyperplay host kuhn_poker alice=http://127.0.0.1:9147 --scramble --export ggp-json --out records
  hyperplay host gauntlet.toml --out gauntlet";

/// Below `exploit`.
pub const EXPLOIT: &str = "\
Examples:
  hyperplay exploit kuhn_poker alice=hyperplay bob=hyperplay --unit 25 --seed 1
  hyperplay exploit leduc_poker alice=hyperplay:search=uniform --unit 3 --seed 1 --top 3
  hyperplay exploit kuhn_poker alice=hyperplay --seed 1 --out alice.json --json
  hyperplay exploit phantom_tictactoe x=hyperplay:playouts=100 --matches 20 --seed 1";

/// Below `replay`.
pub const REPLAY: &str = "\
Examples:
  hyperplay replay leduc.jsonl --match 3
  hyperplay replay leduc.jsonl --match 3 --step 4
  hyperplay replay leduc.jsonl --match 3 --role alice --game games/imperfect/leduc_poker.kif";

/// Below `verify`.
pub const VERIFY: &str = "\
Examples:
  hyperplay verify leduc.jsonl
  hyperplay verify leduc.jsonl --game games/imperfect/leduc_poker.kif --json";

/// Below `experiment`.
pub const EXPERIMENT: &str = "\
Examples:
  hyperplay experiment check docs/experiments/kuhn_ladder.toml
  hyperplay experiment run docs/experiments/kuhn_ladder.toml --out kuhn --deals 20
  hyperplay experiment run docs/experiments/kuhn_ladder.toml --out shards --shard 3/8 -j 2
  hyperplay experiment status kuhn
  hyperplay experiment merge kuhn
  hyperplay experiment exploit docs/experiments/kuhn_ladder.toml --out kuhn --deals 20
  hyperplay experiment report kuhn
  hyperplay experiment export kuhn
  hyperplay experiment slurm docs/experiments/clairvoyant_grid.toml --shards 64 | sh";

/// Below `solve`.
pub const SOLVE: &str = "\
Examples:
  hyperplay solve kuhn_poker --unit 25
  hyperplay solve leduc_poker --unit 3 --seconds 2 --out leduc.json --html leduc.html
  hyperplay solve kuhn_poker --unit 25 --method lp --json
  hyperplay match kuhn_poker alice=equilibrium bob=hyperplay --matches 200 --seed 1";

/// Below `belief`.
pub const BELIEF: &str = "\
Examples:
  hyperplay belief monty_hall --replicates 200 --seed 1
  hyperplay belief krieg_tictactoe_3x3 --sampler hyperplay:enumerate=off --steps 3
  hyperplay belief kuhn_poker --sampler hyperplay --sampler exact --replicates 100 --seed 1 --json
  hyperplay belief kuhn_poker --sampler hyperplay --equilibrium --epsilon 0.01 --seed 1
  hyperplay belief leduc_poker --sampler hyperplay --sampler rejection --particles 16,64 --seed 1 --out leduc";

/// Below `belief-benchmark`.
pub const BELIEF_BENCHMARK: &str = "\
Examples:
  hyperplay belief-benchmark --seed 1 --out benchmark.md
  hyperplay belief-benchmark --game monty_hall --game kuhn_poker --replicates 50 --seed 1
  hyperplay belief-benchmark --game monty_hall --steps 2-2 --matches 1 --replicates 2000 --seed 1";

/// Below `belief-cost`.
pub const BELIEF_COST: &str = "\
Examples:
  hyperplay belief-cost krieg_tictactoe_3x3 --seed 1
  hyperplay belief-cost leduc_poker --sampler hyperplay --sampler rejection --sampler exact --matches 10 --seed 1 --json";

/// Below `check`.
pub const CHECK: &str = "\
Examples:
  hyperplay check games/imperfect/kuhn_poker.kif
  hyperplay check games/broken/several_goals.kif --simulate 100 --seed 1
  hyperplay check kuhn_poker monty_hall --json";

/// Below `check-player`.
pub const CHECK_PLAYER: &str = "\
Examples:
  hyperplay check-player http://127.0.0.1:9147
  hyperplay check-player http://192.168.1.20:4001 --startclock 5 --playclock 5 --json
  hyperplay check-player http://127.0.0.1:9147 --only abort --only two-matches";

/// Below `inspect`.
pub const INSPECT: &str = "\
Examples:
  hyperplay inspect tictactoe
  hyperplay inspect krieg_tictactoe_3x3 --states 4 --seed 1
  hyperplay inspect kuhn_poker --count-information-sets --json
  hyperplay inspect nim --graph dot | dot -Tsvg > nim.svg
  hyperplay inspect tictactoe --network --dot tictactoe.dot --part terminal";

/// Below `crosscheck`.
pub const CROSSCHECK: &str = "\
Examples:
  hyperplay crosscheck tictactoe --matches 1000 --seed 1
  hyperplay crosscheck games/imperfect/kuhn_poker.kif games/imperfect/leduc_poker.kif --json";

/// Below `bench`.
pub const BENCH: &str = "\
Examples:
  hyperplay bench connect_four
  hyperplay bench games/perfect/breakthrough.kif --engine propagator --seconds 0.5 --json";

/// Below `convert`.
pub const CONVERT: &str = "\
Examples:
  hyperplay convert kuhn_poker --to infix
  hyperplay convert kuhn_poker --to efg --unit 25
  hyperplay convert tests/tables/efg/umbrella.efg --to kif
  hyperplay convert games/perfect/four_letters.gdl --to kif";

/// Below `perft`.
pub const PERFT: &str = "\
Examples:
  hyperplay perft tictactoe 4
  hyperplay perft games/perfect/breakthrough.kif 2 --json";

/// Below `games`.
pub const GAMES: &str = "\
Examples:
  hyperplay games
  hyperplay games kuhn_poker
  hyperplay games --json";

/// Below `players`.
pub const PLAYERS: &str = "\
Examples:
  hyperplay players
  hyperplay players hyperplay
  hyperplay players --json";

/// Below `samplers`.
pub const SAMPLERS: &str = "\
Examples:
  hyperplay samplers
  hyperplay samplers bootstrap";

/// Below `searches`.
pub const SEARCHES: &str = "\
Examples:
  hyperplay searches
  hyperplay searches uct";

/// Below `models`.
pub const MODELS: &str = "\
Examples:
  hyperplay models
  hyperplay models softmax";

/// Below `completions`.
pub const COMPLETIONS: &str = "\
Examples:
  hyperplay completions bash > ~/.local/share/bash-completion/completions/hyperplay
  hyperplay completions zsh";

/// Below `man`.
pub const MAN: &str = "\
Examples:
  hyperplay man > hyperplay.1
  hyperplay man --list
  hyperplay man experiment run";

/// Of `kiosk`.
pub const KIOSK: &str = "\
Examples:
  hyperplay kiosk
  hyperplay kiosk kuhn_poker bob=equilibrium --playclock 30
  hyperplay kiosk --replay matches.jsonl
  hyperplay kiosk --watch kuhn --port 8081
The address is printed when the kiosk listens. Ctrl-C and SIGTERM end it, with exit code 0.";
