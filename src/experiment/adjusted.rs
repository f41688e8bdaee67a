//! Adjusted scores: the goals of entrants by role, less what is known to be luck ([`Adjustment`]), beside the plain ones.
//!
//! Every match is walked by its recorded moves. Turns have no policies, so what is known is what the specs say: the policies of
//! settled players. They are those that were played by: a policy file that has changed is an error.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use super::decision_log::DecisionLog;
use super::folder::Planned;
use super::results::Results;
use super::role_scores::RoleScores;
use super::walk::walk;
use hyperplay_engine::Engine;
use hyperplay_lab::{LabError, LabResult};
use hyperplay_machine::{ByRole, Role, StateMachine as _};
use hyperplay_play::analysis::{Adjustment, Baseline};
use hyperplay_play::player::{DecisionBudget, Registry};

/// How the scores of an experiment are adjusted.
pub struct ScoreAdjustment<'a> {
    /// The experiment.
    pub planned: &'a Planned,
    /// The machines of its games.
    pub machines: &'a [Arc<Engine>],
    /// Their baselines, each with the most histories that are imagined.
    pub baselines: &'a [(Arc<Baseline>, usize)],
    /// What the specs of the entrants name.
    pub registry: &'a Registry,
    /// Called after each match; returns whether to stop.
    pub tick: &'a dyn Fn() -> bool,
}

impl ScoreAdjustment<'_> {
    /// Adds the adjusted goals of the matches of a folder; false if it was stopped.
    ///
    /// # Errors
    /// If a file cannot be read or is not the policy file that an entrant had, or a match is not the one that is recorded.
    pub fn add_to(&self, scores: &mut RoleScores, mut results: Results<'_>) -> LabResult<bool> {
        let plan = &self.planned.plan;
        let mut made: BTreeMap<(usize, usize), Adjustment> = BTreeMap::new();
        while let Some(finished) = results.next()? {
            let place = finished.place;
            let (machine, seats) = (&self.machines[plan.cells[place.cell].game], plan.seats(&place));
            let adjustment = match made.entry((place.cell, place.seat_permutation)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(self.adjustment(place.cell, seats)?),
            };
            let (played, _) = walk(machine, plan, &finished, DecisionLog::Turns)?;
            let adjusted = adjustment.goals(&played);
            for (seat, role) in plan.game(place.cell).played().map(Role::new).enumerate() {
                let of_role = scores.by_role.entry((place.cell, seats[seat], seat)).or_default();
                adjusted.iter().for_each(|goals| of_role.adjusted.add(place.deal, goals[role], 1.0));
            }
            if (self.tick)() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How goals are adjusted in a cell where these entrants have the roles.
    fn adjustment(&self, cell: usize, entrants: &[usize]) -> LabResult<Adjustment> {
        let plan = &self.planned.plan;
        let machine = &self.machines[plan.cells[cell].game];
        let mut players = vec![None; machine.roles().len()];
        for (role, &entrant) in plan.game(cell).played().zip(entrants) {
            let player = self.registry.player(&plan.entrants[entrant].spec)?;
            if player.spec().file_hashes() != plan.entrants[entrant].policies {
                let what = "is not the one that it played by";
                let what = format!("the policy file of {} {what}", plan.label(entrant));
                return Err(LabError::other(what, "start the command where the file can be found as it was"));
            }
            players[role] = Some(player);
        }
        let (baseline, imagined) = &self.baselines[plan.cells[cell].game];
        let budget = DecisionBudget { nodes: plan.nodes, ..DecisionBudget::default() };
        let adjustment = Adjustment::new(machine, &ByRole::new(players), budget, (baseline, *imagined));
        Ok(adjustment.expect("no settled player is clairvoyant"))
    }
}
