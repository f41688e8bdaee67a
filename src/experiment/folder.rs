//! Folder: where an experiment writes its files, and which experiment a folder belongs to.
//!
//! The plan is beside the matches as `plan.json`, so a later reader of the folder needs neither the experiment
//! file nor its games. Shards on several computers may share the folder or have their files copied into one: the plan
//! is the same, and one of another hash is refused.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{self, Path, PathBuf};

use super::config::ExperimentConfig;
use super::journal::locked;
use super::plan::{Entrant, ExperimentPlan};
use hyperplay_lab::records::in_place;
use hyperplay_lab::shards::Shard;
use hyperplay_lab::{LabError, LabResult};
use hyperplay_play::files::FileError;
use hyperplay_play::player::{Registry, SpecKind};
use serde::{Deserialize, Serialize};

/// The name of the plan in its folder.
pub const PLAN: &str = "plan.json";

/// The name of this form of plans.
const PLAN_SCHEMA: &str = "hyperplay.plan/1";

/// A plan as it lies in a folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Planned {
    /// The form of the file.
    pub schema: String,
    /// The title of the experiment.
    pub name: String,
    /// The purpose of the experiment.
    pub about: String,
    /// The hash of the plan.
    pub config: String,
    /// Whether neither turns nor timings are recorded; a folder stays as it was begun.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_turns: bool,
    /// The plan.
    pub plan: ExperimentPlan,
}

impl Planned {
    /// The spec of the entrant with this label; empty if there is none.
    pub(super) fn spec_of(&self, label: &str) -> &str {
        let entrant = self.plan.entrants.iter().find(|entrant| entrant.label == label);
        entrant.map_or("", |entrant| entrant.spec.as_str())
    }

    /// A plan with its title.
    pub fn new(name: &str, about: &str, plan: ExperimentPlan) -> Self {
        let config = plan.hash();
        Planned {
            schema: PLAN_SCHEMA.to_owned(),
            name: name.to_owned(),
            about: about.to_owned(),
            config,
            without_turns: false,
            plan,
        }
    }

    /// The plan of an experiment, with its title and with what is recorded.
    pub fn of(config: &ExperimentConfig, plan: ExperimentPlan) -> Self {
        Planned { without_turns: config.without_turns, ..Planned::new(&config.name, &config.about, plan) }
    }

    /// Reads the plan of a folder.
    ///
    /// # Errors
    /// If there is none, or it was changed.
    pub fn read(folder: &Path) -> LabResult<Planned> {
        let path = folder.join(PLAN);
        let text = FileError::at(&path, fs::read(&path)).map_err(|error| match &error {
            FileError::System(_, cause)
                if matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
            {
                let what = format!("{} holds no experiment: {error}", folder.display());
                LabError::other(what, "name the folder that `hyperplay experiment run FILE --out DIR` wrote")
            }
            _ => error.into(),
        })?;
        let wrong = |what: String| {
            let remedy =
                "move plan.json away: the next `hyperplay experiment run FILE --out DIR` writes it again";
            LabError::other(format!("{}: {what}", path.display()), remedy)
        };
        let planned: Planned = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        if planned.schema != PLAN_SCHEMA {
            return Err(wrong(format!("its schema is '{}', not '{PLAN_SCHEMA}'", planned.schema)));
        }
        if planned.plan.hash() != planned.config {
            return Err(wrong("it does not have the hash that it names: it was changed".to_owned()));
        }
        Ok(Planned { plan: planned.plan.completed(), ..planned })
    }

    /// Makes the folder and puts the plan there, unless it is there already. Returns the plan of the folder: if version
    /// 0.2 made it, its specs and labels are in the spelling of that version.
    ///
    /// # Errors
    /// If another plan is there, or the folder cannot be written to.
    pub fn settle(self, folder: &Path, registry: &Registry) -> LabResult<Planned> {
        FileError::at(folder, fs::create_dir_all(folder))?;
        let path = folder.join(PLAN);
        if path.exists() {
            let found = Planned::read(folder)?;
            if found.config == self.config || self.is_today(&found, registry) {
                return Ok(found);
            }
            return Err(self.unlike(&found, folder));
        }
        // Several shards may come at once: each writes a file of its own and renames it.
        let draft = folder.join(format!(".{PLAN}.{}", std::process::id()));
        let text = serde_json::to_string_pretty(&self).expect("a plan is plain data");
        FileError::at(&draft, fs::write(&draft, text + "\n"))?;
        FileError::at(&path, fs::rename(&draft, &path))?;
        Ok(self)
    }

    /// The refusal of a folder that holds the experiment with another plan.
    fn unlike(mut self, found: &Planned, folder: &Path) -> LabError {
        let changed = self.plan.changed_policies(&found.plan);
        self.plan.think_ahead = false;
        let (since, remedy) = match &changed[..] {
            [] if self.plan.hash() == found.config => (
                ": its players do not think ahead".to_owned(),
                "write think_ahead = false under [budget], or name another folder with --out".to_owned(),
            ),
            [] => {
                let or = "name another folder with --out, or take that one away";
                (String::new(), format!("give --reuse {} to extend what it holds, {or}", folder.display()))
            }
            files => {
                let (plural, have) = if files.len() == 1 { (" ", "has") } else { ("s ", "have") };
                let since = format!(": the policy file{plural}{} {have} changed since", files.join(", "));
                (since, "name another folder with --out, or put back what the policy file said".to_owned())
            }
        };
        let holds = format!("the experiment '{}' with another plan ({}){since}", found.name, found.config);
        holding(folder, &holds.replacen("the experiment ''", "an experiment", 1), &remedy)
    }

    /// Whether the plan is one of version 0.2 but for the spelling of specs: each, read as it is written today, is the
    /// spec of this plan.
    fn is_today(&self, former: &Planned, registry: &Registry) -> bool {
        let mut today = former.plan.clone();
        let read = |spec: &str| registry.unopened(SpecKind::Player, spec).ok();
        for (entrant, own) in today.entrants.iter_mut().zip(&self.plan.entrants) {
            let respelled = registry.respelled(SpecKind::Player, &entrant.spec);
            let spec = read(respelled.as_ref().unwrap_or(&entrant.spec));
            if entrant.spec != own.spec && spec.is_some() && spec == read(&own.spec) {
                *entrant = Entrant { policies: std::mem::take(&mut entrant.policies), ..own.clone() };
            }
        }
        today == self.plan
    }
}

fn holding(folder: &Path, holds: &str, remedy: &str) -> LabError {
    LabError::other(format!("{} holds {holds}", folder.display()), remedy)
}

/// The folders beside a folder that hold what it held before it was extended, in that order.
pub fn extended(folder: &Path) -> Vec<PathBuf> {
    let named = (1..).map(|number: u64| folder.with_added_extension(format!("before{number}")));
    // A path such as `..` has no name that could be extended.
    named.take_while(|one| folder.file_name().is_some() && one.is_dir()).collect()
}

/// Renames a folder, so that a longer experiment can have its name, and returns the new path. To be called under
/// [`lock_beside`].
///
/// # Errors
/// If a shard of it is being played, or the operating system refuses.
pub fn set_aside(folder: &Path) -> LabResult<PathBuf> {
    for shard in shards(folder)? {
        locked(&in_place(&shard.file(folder, "matches")))?;
    }
    let number = extended(folder).len() + 1;
    let aside = folder.with_added_extension(format!("before{number}"));
    FileError::at(folder, fs::rename(folder, &aside))?;
    Ok(aside)
}

/// The absolute path of a folder, whether or not it exists.
pub fn resolved(folder: &Path) -> PathBuf {
    let absolute = path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let beside = || Some(absolute.parent()?.canonicalize().ok()?.join(absolute.file_name()?));
    folder.canonicalize().ok().or_else(beside).unwrap_or(absolute)
}

/// Waits until no other run that extends a folder looks at it or renames it, and keeps others waiting until the lock is
/// dropped. None where the system has no locks of folders.
pub fn lock_beside(folder: &Path) -> Option<File> {
    let beside = File::open(resolved(folder).parent()?).ok()?;
    beside.lock().ok().map(|()| beside)
}

/// Refuses a shard of another division than the matches in a folder.
///
/// # Errors
/// If the folder holds matches of another division, or cannot be read.
pub fn refuse_other_division(folder: &Path, shard: Shard) -> LabResult {
    match division(folder) {
        Ok(count) if count != shard.count => {
            let holds = format!("shards of {count}, and {shard} is none of these");
            let remedy = "give --shard as one of those in the folder, or name another folder with --out";
            Err(holding(folder, &holds, remedy))
        }
        Ok(_) | Err(LabError::NoMatches(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// How many shards the matches in a folder are divided into.
///
/// # Errors
/// If there are none, or they are of several divisions.
pub fn division(folder: &Path) -> LabResult<u64> {
    let counts: BTreeSet<u64> = shards(folder)?.iter().map(|shard| shard.count).collect();
    match *Vec::from_iter(counts) {
        [] => Err(LabError::NoMatches(folder.to_owned())),
        [count] => Ok(count),
        [one, other, ..] => {
            let holds = format!("shards of {one} and of {other}");
            Err(holding(folder, &holds, "merge one division only: move the other files away"))
        }
    }
}

/// The shards that a folder has matches of.
fn shards(folder: &Path) -> Result<Vec<Shard>, FileError> {
    let mut shards = Vec::new();
    for entry in FileError::at(folder, fs::read_dir(folder))? {
        let name = FileError::at(folder, entry)?.file_name();
        let plain = name.to_str().map(|name| name.strip_suffix(".gz").unwrap_or(name));
        shards.extend(plain.and_then(|name| Shard::of_file(name, "matches")));
    }
    Ok(shards)
}

#[cfg(test)]
mod tests {
    use super::super::plan::PlanGame;
    use super::*;

    fn planned(grid: &str) -> Planned {
        let text = format!(
            "schema = 'hyperplay.experiment/1'\nseed = 7\ngames = ['coin']\nrepetitions = 5\n\
             [[player]]\nname = 'seeing'\nspec = 'clairvoyant:nodes=0,playouts=15/move'\n\
             [[player]]\nname = 'flat'\nspec = 'hyperplay:sampler=hyperplay:merge=off'\n{grid}\n"
        );
        let roles = vec!["a".to_owned(), "b".to_owned()];
        let game = PlanGame { name: "coin".to_owned(), rules: "sha256:0".to_owned(), roles, random: None };
        let config = ExperimentConfig::read(&text, Path::new(""), &Registry::standard()).unwrap();
        Planned::new("coin", "", ExperimentPlan::new(&config, vec![game]).unwrap())
    }

    #[test]
    fn a_folder_of_version_0_2_is_continued_in_its_own_spelling() {
        let grid = |least: u64| format!("grid = {{ playouts = ['{least}/move', '9/move'] }}");
        let today = planned(&grid(3));
        // As version 0.2 wrote it.
        let mut plan = today.plan.clone();
        plan.entrants[0].spec = "clairvoyant:nodes=0,per_move=15,halving=off".to_owned();
        for (entrant, each) in plan.entrants[1..].iter_mut().zip(["3", "9"]) {
            entrant.label = format!("flat per_move={each}");
            entrant.spec = format!("hyperplay:per_move={each},count=history,halving=off,merge=off");
            entrant.parameters = [("per_move".to_owned(), each.to_owned())].into();
        }
        let (former, registry) = (Planned::new("coin", "", plan), Registry::standard());
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(former.clone().settle(folder.path(), &registry).unwrap(), former);
        assert_ne!(former.config, today.config);
        assert_eq!(today.settle(folder.path(), &registry).unwrap(), former);
        let other = planned(&grid(4)).settle(folder.path(), &registry);
        assert!(
            matches!(other, Err(LabError::Other { ref remedy, .. }) if remedy.ends_with("take that one away"))
        );
    }

    #[test]
    fn a_folder_is_not_renamed_while_a_shard_is_played_or_where_it_has_no_name() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("out");
        fs::create_dir(&folder).unwrap();
        let playing = locked(&Shard::WHOLE.file(&folder, "matches")).unwrap();
        assert!(matches!(set_aside(&folder), Err(LabError::Locked(_))));
        assert!(folder.is_dir() && extended(&folder).is_empty());
        drop(playing);
        assert_eq!([set_aside(&folder).unwrap()], extended(&folder)[..]);
        assert!(place.path().join("out.before1").is_dir());
        assert!(!folder.exists() && resolved(&folder).ends_with("out"));
        assert_eq!(resolved(&place.path().join("out.before1/..")), resolved(place.path()));
        for nameless in [".", "..", "/", "src/.."] {
            assert!(extended(Path::new(nameless)).is_empty(), "{nameless}");
        }
    }

    #[test]
    fn a_folder_with_clocks_of_an_earlier_version_is_one_whose_players_do_not_think_ahead() {
        let of = |budget: &str| planned(&format!("\n[budget]\nplayclock = 1\n{budget}"));
        let (today, registry, folder) = (of(""), Registry::standard(), tempfile::tempdir().unwrap());
        assert!(today.plan.think_ahead && serde_json::to_string(&today).unwrap().contains("think_ahead"));
        let former = of("think_ahead = false");
        assert!(!serde_json::to_string(&former).unwrap().contains("think_ahead"));
        assert_eq!(former.clone().settle(folder.path(), &registry).unwrap(), former);
        let error = today.settle(folder.path(), &registry).unwrap_err();
        assert!(
            matches!(error, LabError::Other { ref remedy, .. } if remedy.starts_with("write think_ahead"))
        );
        assert!(error.to_string().ends_with(": its players do not think ahead"), "{error}");
        assert_eq!(former.clone().settle(folder.path(), &registry).unwrap(), former);
        assert!(!of("nodes = 100").plan.think_ahead);
        assert!(!planned("").plan.think_ahead && !planned("\n[budget]\nplayclock = 0.02").plan.think_ahead);
    }
}
