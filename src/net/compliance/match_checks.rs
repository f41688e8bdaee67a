//! Checks that play: dialects, spelling, percepts, repeated and late messages, ABORT, two matches.

use std::thread;
use std::time::{Duration, Instant};

use super::conversation::{Conversation, is_word};
use super::games::{BELL, LAMPS, NUMBERS, PATHS, TREASURE};
use super::master::{CheckMaster, GDL2, OF_2011, Telling};
use super::verdict::{CheckEnd, Checked, fail, skip};
use crate::http::client::Ending;

/// A master that has been answered `ready`.
fn started(talk: &mut Conversation, game: &str, telling: Telling) -> Checked<CheckMaster> {
    let master = CheckMaster::new(game, talk.new_match(), telling);
    talk.start(&master)?;
    Ok(master)
}

/// A whole match; the first misspelt move.
fn whole_match(talk: &mut Conversation, game: &str, telling: Telling) -> Checked {
    let mut master = started(talk, game, telling)?;
    talk.play_on(&mut master)
}

/// A whole match in which only legality counts.
pub(super) fn legal(talk: &mut Conversation, game: &str, telling: Telling) -> Checked {
    whole_match(talk, game, telling).map(|_| None)
}

/// A whole match in which spelling counts too.
pub(super) fn spelt(talk: &mut Conversation, game: &str, telling: Telling) -> Checked {
    match whole_match(talk, game, telling)? {
        Some(misspelt) => fail(format!("{misspelt}; ggp-base compares moves letter by letter")),
        None => Ok(None),
    }
}

pub(super) fn start(talk: &mut Conversation) -> Checked {
    let master = started(talk, LAMPS, GDL2)?;
    talk.abort(&master.id).map(|_| None)
}

pub(super) fn preview(talk: &mut Conversation) -> Checked {
    let text = CheckMaster::new(LAMPS, talk.new_match(), GDL2).preview_message(talk.clocks);
    match talk.message(&text, talk.clocks.startclock, Ending::Complete).0 {
        Ok(reply) if reply.body.trim().eq_ignore_ascii_case("ready") => Ok(None),
        Ok(_) => skip("PREVIEW is answered with something else; few masters use it"),
        Err(error) => skip(format!("no PREVIEW: {error}; few masters use it")),
    }
}

pub(super) fn stop(talk: &mut Conversation) -> Checked {
    let mut master = started(talk, LAMPS, GDL2)?;
    while !master.is_over() {
        let answer = talk.play(&mut master)?;
        master.advance(answer.choice);
    }
    is_word(&talk.stop(&master)?, "done", "STOP").map(|()| None)
}

pub(super) fn replaced_move(talk: &mut Conversation) -> Checked {
    let mut master = started(talk, TREASURE, GDL2)?;
    let answer = talk.play(&mut master)?;
    // As a master does that got the answer too late: another legal move is recorded.
    master.replace(Some(answer.choice));
    talk.play_on(&mut master).map(|_| None)
}

/// The answer to the second PLAY is lost, and the percepts are empty whatever was played in its place.
pub(super) fn lost_answer(talk: &mut Conversation) -> Checked {
    let mut master = started(talk, BELL, OF_2011)?;
    let first = talk.play(&mut master)?;
    master.advance(first.choice);
    let lost = talk.play(&mut master)?;
    master.replace(Some(lost.choice));
    talk.play_on(&mut master).map(|_| None)
}

/// The first answer is lost, so the second may be illegal; what is seen then is explained by one history.
pub(super) fn wrong_belief(talk: &mut Conversation) -> Checked {
    let mut master = started(talk, PATHS, OF_2011)?;
    let lost = talk.play(&mut master)?;
    master.replace(Some(lost.choice));
    talk.ask(&master.play_message(), talk.clocks.playclock)?;
    master.replace(None);
    talk.play_on(&mut master).map(|_| None)
}

pub(super) fn repeated_play(talk: &mut Conversation) -> Checked {
    let mut master = started(talk, NUMBERS, GDL2)?;
    let first = talk.play(&mut master)?;
    for _ in 0..2 {
        let again = talk.play(&mut master)?;
        if again.choice != first.choice {
            let what = format!("the same PLAY was answered `{}`, then `{}`", first.spelt, again.spelt);
            return fail(what);
        }
    }
    // The repetition was no step: the next PLAY is the second.
    master.advance(first.choice);
    talk.play(&mut master)?;
    talk.abort(&master.id).map(|_| None)
}

pub(super) fn late_play(talk: &mut Conversation) -> Checked {
    let mut master = started(talk, LAMPS, GDL2)?;
    let answer = talk.play(&mut master)?;
    master.advance(answer.choice);
    thread::sleep(talk.clocks.playclock + Duration::from_millis(1500));
    talk.play_on(&mut master).map(|_| None)
}

pub(super) fn two_matches(talk: &mut Conversation) -> Checked {
    let mut first = started(talk, LAMPS, GDL2)?;
    let mut second = CheckMaster::new(LAMPS, talk.new_match(), GDL2);
    let answer = talk.start_answer(&second)?;
    if answer.eq_ignore_ascii_case("busy") {
        return skip("the player is busy with one match");
    }
    is_word(&answer, "ready", "the second START")?;
    while !first.is_over() {
        for master in [&mut first, &mut second] {
            let answer = talk.play(master)?;
            master.advance(answer.choice);
        }
    }
    talk.stop(&first)?;
    talk.stop(&second).map(|_| None)
}

pub(super) fn abort(talk: &mut Conversation) -> Checked {
    // A long clock, so that a player that thinks is still thinking when the ABORT comes.
    let own = talk.clocks;
    talk.clocks.playclock = Duration::from_secs(10).max(own.playclock);
    let begun = started(talk, NUMBERS, GDL2);
    let mut beside = talk.beside();
    talk.clocks = own;
    let mut master = begun?;
    let id = master.id.clone();
    let thinking = thread::spawn(move || {
        let begin = Instant::now();
        // The result does not matter: the match is aborted.
        let _ = beside.play(&mut master);
        (beside, begin.elapsed())
    });
    thread::sleep(Duration::from_millis(300));
    let was_thinking = !thinking.is_finished();
    let outcome = abort_and_play_another(talk, &id);
    let Ok((mut beside, thought)) = thinking.join() else {
        return fail("the PLAY beside the ABORT could not be sent");
    };
    // An aborted PLAY has no clock.
    (beside.late, beside.timed) = (Vec::new(), 0);
    talk.join(beside);
    outcome?;
    Ok(match was_thinking {
        false => Some("the player had answered its PLAY before the ABORT".to_owned()),
        true if thought > Duration::from_secs(3) => {
            let seconds = thought.as_secs_f64();
            Some(format!("the PLAY of the aborted match kept its connection for {seconds:.1} s"))
        }
        true => None,
    })
}

/// Aborts a match, and plays another one while the player may still be thinking about the first.
fn abort_and_play_another(talk: &mut Conversation, id: &str) -> Checked<()> {
    let begin = Instant::now();
    is_word(&talk.abort(id)?, "aborted", "ABORT")?;
    let elapsed = begin.elapsed();
    if elapsed > Duration::from_secs(1) {
        let what = format!("ABORT was answered after {:.1} s, not at once", elapsed.as_secs_f64());
        return fail(what);
    }
    match whole_match(talk, LAMPS, GDL2) {
        Err(CheckEnd::Fail(reason)) => fail(format!("in the match after the ABORT: {reason}")),
        other => other.map(drop),
    }
}
