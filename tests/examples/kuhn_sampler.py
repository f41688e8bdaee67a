# A sampler of another language: the exact posterior of Alice in Kuhn poker, if Bob bets uniformly (docs/extending.md).
import json, random, sys

def history(card, evidence):  # alice's view of Kuhn poker: her card, then Bob's, then the bidding
    moves = []
    for number, step in enumerate(evidence):
        seen = [percept.strip("()").split() for percept in step["sees"]]
        own = [words[1] for words in seen if words[0] == "your_card"]
        bob = [words[2] for words in seen if words[:2] == ["says", "bob"]]
        deal = f"(deal alice {own[0]})" if own else f"(deal bob {card})" if number == 1 else "noop"
        moves.append([step["move"], bob[0] if bob else "noop", deal])
    return moves

for line in sys.stdin:
    asked = json.loads(line)
    if "schema" not in asked:
        random.seed(asked["seed"])
        own = asked["evidence"][0]["sees"][0] if asked["evidence"] else ""
        cards = [card for card in ("jack", "queen", "king") if card not in own]
        drawn = [{"moves": history(random.choice(cards), asked["evidence"])} for _ in range(asked["particles"])]
        print(json.dumps({"id": asked["id"], "histories": drawn, "states": len(drawn)}), flush=True)
