//! The games of the checks: small rules, written so that each asks one thing of a player.
//!
//! Their names have capitals inside, so that a player that changes the case of a name is noticed.

/// A game of a check.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckGame {
    /// The role that the player under test gets.
    pub(super) role: &'static str,
    pub(super) rules: &'static str,
}

/// Two steps of GDL-II. The legal moves depend on the step alone, so every player that follows the steps can play it.
pub(super) const LAMPS: CheckGame = CheckGame {
    role: "Keeper",
    rules: "
        (role Keeper) (role random)
        (lamp Left) (lamp Right)
        (init (evening 1))
        (<= (legal Keeper (turnOn ?l)) (true (evening 1)) (lamp ?l))
        (<= (legal Keeper (lightUp ?l ?m)) (true (evening 2)) (lamp ?l) (lamp ?m))
        (<= (legal random (blowOut ?l)) (lamp ?l))
        (<= (sees Keeper (isDark ?l)) (does random (blowOut ?l)))
        (<= (sees Keeper (isLit ?l)) (does Keeper (turnOn ?l)))
        (<= (next (evening 2)) (true (evening 1)))
        (<= (next (evening 3)) (true (evening 2)))
        (<= (next safe) (does Keeper (lightUp ?l ?m)) (does random (blowOut ?k)) (distinct ?l ?k))
        (<= terminal (true (evening 3)))
        (<= (goal Keeper 100) (true safe))
        (<= (goal Keeper 0) (not (true safe)))
        (goal random 0)",
};

/// Three steps of GDL-I. In the second, each role must repeat what the *other* one has shown, so the joint move must be
/// read in the order of the roles.
pub(super) const COLOURS: CheckGame = CheckGame {
    role: "Ann",
    rules: "
        (role Ann) (role Bob)
        (colour Red) (colour Green) (colour Blue)
        (other Ann Bob) (other Bob Ann)
        (init (round 1))
        (<= (legal ?r (showCard ?c)) (role ?r) (true (round 1)) (colour ?c))
        (<= (legal ?r (repeatCard ?c)) (other ?r ?s) (true (shown ?s ?c)))
        (<= (legal ?r (callOut ?c ?d)) (role ?r) (true (round 3)) (colour ?c) (colour ?d))
        (<= (next (shown ?r ?c)) (does ?r (showCard ?c)))
        (<= (next (round 2)) (true (round 1)))
        (<= (next (round 3)) (true (round 2)))
        (<= (next (round 4)) (true (round 3)))
        (<= (next heard) (does Ann (repeatCard ?c)) (does Bob (repeatCard ?d)))
        (<= (next match) (true heard) (does Ann (callOut ?c ?d)) (does Bob (callOut ?c ?e)))
        (<= terminal (true (round 4)))
        (<= (goal ?r 100) (role ?r) (true match))
        (<= (goal ?r 0) (role ?r) (not (true match)))",
};

/// Three steps of GDL-II in which the percepts and the recorded move decide what is legal: the finder sees which doors
/// are empty and may open only the other one; later it may use only what it took.
pub(super) const TREASURE: CheckGame = CheckGame {
    role: "Finder",
    rules: "
        (role Finder) (role random)
        (tool Lamp) (tool Rope) (tool Map)
        (door 1) (door 2) (door 3)
        (init (stage 1))
        (<= (legal Finder (take ?t)) (true (stage 1)) (tool ?t))
        (<= (legal Finder (openDoor ?d)) (true (stage 2)) (true (behind ?d)))
        (<= (legal Finder (use ?t)) (true (stage 3)) (true (has ?t)))
        (<= (legal random (hide ?d)) (true (stage 1)) (door ?d))
        (<= (legal random noop) (not (true (stage 1))))
        (<= (sees Finder (isEmpty ?d)) (does random (hide ?e)) (door ?d) (distinct ?d ?e))
        (<= (next (behind ?d)) (does random (hide ?d)))
        (<= (next (has ?t)) (does Finder (take ?t)))
        (<= (next (has ?t)) (true (has ?t)))
        (<= (next found) (does Finder (openDoor ?d)) (true (behind ?d)))
        (<= (next found) (true found))
        (<= (next (stage 2)) (true (stage 1)))
        (<= (next (stage 3)) (true (stage 2)))
        (<= (next (stage 4)) (true (stage 3)))
        (<= terminal (true (stage 4)))
        (<= (next used) (does Finder (use ?t)))
        (<= won (true found) (true used))
        (<= (goal Finder 100) won)
        (<= (goal Finder 0) (not won))
        (goal random 0)",
};

/// Fifteen steps of simultaneous choices among eight moves, with little to see: nothing that is solved in seconds, so
/// that a player that searches has something to think about.
pub(super) const NUMBERS: CheckGame = CheckGame {
    role: "North",
    rules: "
        (role North) (role South)
        (number 1) (number 2) (number 3) (number 4) (number 5) (number 6) (number 7) (number 8)
        (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8) (after 8 9) (after 9 10)
        (after 10 11) (after 11 12) (after 12 13) (after 13 14) (after 14 15) (after 15 16)
        (init (turn 1)) (init (hits 1))
        (<= (legal ?r (put ?n)) (role ?r) (number ?n))
        (<= hit (does North (put ?n)) (does South (put ?n)))
        (<= (sees ?r hit) (role ?r) hit)
        (<= (next (turn ?n)) (true (turn ?m)) (after ?m ?n))
        (<= (next (hits ?n)) (true (hits ?m)) (after ?m ?n) hit)
        (<= (next (hits ?n)) (true (hits ?n)) (not hit))
        (<= terminal (true (turn 16)))
        (<= won (true (hits ?n)) (distinct ?n 1) (distinct ?n 2))
        (<= (goal North 100) won) (<= (goal North 0) (not won))
        (<= (goal South 0) won) (<= (goal South 100) (not won))",
};

/// Four steps of GDL-II in which nothing is seen but the bell, which may be rung in the second step. The other legal
/// moves depend on the step alone.
pub(super) const BELL: CheckGame = CheckGame {
    role: "Walker",
    rules: "
        (role Walker) (role Guard)
        (after 1 2) (after 2 3) (after 3 4) (after 4 5)
        (init (hour 1))
        (<= (legal Walker (ringBell ?n)) (true (hour ?n)) (after 1 ?n))
        (<= (legal Walker (walkOn ?n)) (true (hour ?n)))
        (legal Guard noop)
        (<= (sees Walker isRinging) (does Walker (ringBell ?n)))
        (<= (next (hour ?m)) (true (hour ?n)) (after ?n ?m))
        (<= (next rung) (does Walker (ringBell ?n)))
        (<= (next rung) (does Walker (walkOn ?n)) (true rung))
        (<= terminal (true (hour 5)))
        (<= (goal Walker 100) (true rung))
        (<= (goal Walker 0) (not (true rung)))
        (goal Guard 0)",
};

/// Three steps of GDL-II on one of two paths. The first step shows nothing, the second one shows which path it is.
pub(super) const PATHS: CheckGame = CheckGame {
    role: "Scout",
    rules: "
        (role Scout) (role Guard)
        (path Gate Left) (path Gate Right) (path Left Mill) (path Right Lake)
        (path Mill Tower) (path Mill Ruin) (path Lake Shore)
        (end Tower) (end Ruin) (end Shore)
        (init (at Gate))
        (<= (legal Scout (goTo ?t)) (true (at ?f)) (path ?f ?t))
        (legal Guard noop)
        (<= (sees Scout (reached Mill)) (does Scout (goTo Mill)))
        (<= (sees Scout (reached Lake)) (does Scout (goTo Lake)))
        (<= (next (at ?t)) (does Scout (goTo ?t)))
        (<= terminal (true (at ?e)) (end ?e))
        (<= (goal Scout 100) (true (at Tower)))
        (<= (goal Scout 0) (not (true (at Tower))))
        (goal Guard 0)",
};

/// Five steps of GDL-I in turns. The legal moves depend on the step alone.
pub(super) const TURNS: CheckGame = CheckGame {
    role: "First",
    rules: "
        (role First) (role Second)
        (other First Second) (other Second First)
        (number 1) (number 2)
        (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6)
        (init (turnOf First)) (init (hour 1))
        (<= (legal ?r (putDown ?n)) (true (turnOf ?r)) (number ?n))
        (<= (legal ?r passOn) (role ?r) (not (true (turnOf ?r))))
        (<= (next (turnOf ?s)) (true (turnOf ?r)) (other ?r ?s))
        (<= (next (hour ?m)) (true (hour ?n)) (after ?n ?m))
        (<= (next (shown ?n)) (does ?r (putDown ?n)))
        (<= terminal (true (hour 6)))
        (<= (goal ?r 100) (role ?r) (true (shown 2)))
        (<= (goal ?r 0) (role ?r) (not (true (shown 2))))",
};

#[cfg(test)]
mod tests {
    use hyperplay_logic::gdl::{Source, load};

    use super::*;

    #[test]
    fn the_rules_are_without_findings() {
        for game in [LAMPS, COLOURS, TREASURE, NUMBERS, BELL, PATHS, TURNS] {
            let loaded = load(Source::new("check.kif", game.rules), None);
            assert!(loaded.findings.is_empty(), "{}: {:?}", game.role, loaded.findings);
            assert_eq!(loaded.game.unwrap().is_imperfect(), !["Ann", "First"].contains(&game.role));
        }
    }
}
