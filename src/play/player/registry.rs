//! The registry: which players, samplers, searches and opponent models there are, and how each is made from a spec.
//!
//! [`Registry::standard`] holds those of this crate. `with_player`, `with_sampler`, `with_search` and `with_model`
//! add others, which can then be named wherever a spec is read: in a match, in an experiment, in `hyperplay belief`,
//! and inside the specs of other entries. A registry is an ordinary value: there is no global registry, and a clone
//! shares the entries.
//!
//! Everything that is added comes with a *reader*, a function that is called once, when a spec is read. It turns the
//! values of the spec into typed options, or refuses them, and returns what builds the player for a machine and a role.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::configured::{ModelBuild, PlayerBuild};
use super::learnt::{LEARNT, SeenMatches, learnt};
use super::spec_reader::SpecReader;
use super::{
    Assumed, Configured, KeyType, ModelSpec, PlayerSpec, RegistryError, SamplerSpec, SearchEffort, Seat,
    Spec, SpecEntry, SpecError, SpecKey, SpecKind, SpecResult,
};
use hyperplay_engine::Engine;
use hyperplay_machine::Role;
use hyperplay_think::belief::{Sampler, SharedModel};
use hyperplay_think::search::StateSearch;

/// Builds a `T` from a spec and what else it takes, of the type `A`.
type Reader<T, A = Registry> = Arc<dyn Fn(&Spec, &A) -> SpecResult<T> + Send + Sync>;

/// How a registered entry is built from its spec.
#[derive(Clone, strum::EnumTryAs)]
enum SpecMaker {
    Player(Reader<PlayerBuild>),
    Sampler(Reader<Arc<dyn Sampler<Engine>>>),
    Search(Reader<Arc<dyn StateSearch<Engine>>, SearchEffort>),
    Model(Reader<ModelBuild>),
}

impl SpecMaker {
    fn kind(&self) -> SpecKind {
        match self {
            SpecMaker::Player(_) => SpecKind::Player,
            SpecMaker::Sampler(_) => SpecKind::Sampler,
            SpecMaker::Search(_) => SpecKind::Search,
            SpecMaker::Model(_) => SpecKind::Model,
        }
    }
}

/// The players, samplers, searches and opponent models that specs can name.
///
/// ```
/// use hyperplay_play::player::{LegalPlayer, Registry, Seat, SpecEntry, SpecKind};
///
/// let entry = SpecEntry::new("first", "plays its first legal move");
/// let registry = Registry::standard().with_player(entry, |_, _| Ok(|_: &_, _| Seat::player(LegalPlayer)))?;
/// assert_eq!(registry.player("first")?.spec().to_string(), "first");
/// let names: Vec<&str> = registry.entries(SpecKind::Player).map(|entry| &*entry.name).collect();
/// let own = [
///     "random", "legal", "hyperplay", "clairvoyant", "pimc", "ismcts", "hyperplay2", "epimc", "oos", "subgame", "policy",
///     "selected", "equilibrium", "auto",
/// ];
/// assert!(names.iter().copied().eq(own.into_iter().chain(["first"])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Registry(Arc<Vec<(Arc<SpecEntry>, SpecMaker)>>);

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.iter().map(|(entry, made)| (made.kind(), &entry.name))).finish()
    }
}

impl Registry {
    /// An empty registry, from which the standard one is built.
    pub(super) fn empty() -> Registry {
        Registry(Arc::new(Vec::new()))
    }

    /// Adds a player. `read` gets the values of a spec, and the registry for specs inside that spec.
    ///
    /// # Errors
    /// If there is a player of this name, or the entry is not in order: its names, or a default, which may only name
    /// what was added before, and the entry itself.
    pub fn with_player<B: Fn(&Arc<Engine>, Role) -> Seat + Send + Sync + 'static>(
        self,
        entry: SpecEntry,
        read: impl Fn(&Spec, &Registry) -> SpecResult<B> + Send + Sync + 'static,
    ) -> Result<Registry, RegistryError> {
        self.with(entry, SpecMaker::Player(Arc::new(move |spec, all| Ok(Arc::new(read(spec, all)?)))))
    }

    /// Adds a sampler. It has the keys `model` and `epsilon` besides its own: the opponent model under which it is
    /// measured. A player that samples by it says the model itself.
    ///
    /// ```
    /// use hyperplay_think::belief::BootstrapSampler;
    /// use hyperplay_play::player::{Registry, SpecEntry};
    ///
    /// let entry = SpecEntry::new("filter", "the plain particle filter");
    /// let registry = Registry::standard().with_sampler(entry, |_, _| Ok(BootstrapSampler))?;
    /// let sampler = registry.sampler("filter:model=softmax:level=2")?;
    /// assert_eq!(sampler.assumed().spec().to_string(), "softmax:level=2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`with_player`](Registry::with_player).
    pub fn with_sampler<S: Sampler<Engine> + 'static>(
        self,
        mut entry: SpecEntry,
        read: impl Fn(&Spec, &Registry) -> SpecResult<S> + Send + Sync + 'static,
    ) -> Result<Registry, RegistryError> {
        entry.keys.extend(Assumed::keys());
        self.with(entry, SpecMaker::Sampler(Arc::new(move |spec, all| Ok(Arc::new(read(spec, all)?)))))
    }

    /// Adds a search. `read` also gets the effort that the player asks for.
    ///
    /// ```
    /// use hyperplay_engine::Engine;
    /// use hyperplay_machine::State;
    /// use hyperplay_play::player::{Registry, SpecEntry, SpecKey};
    /// use hyperplay_think::search::{
    ///     Algorithm, Evaluations, PlayoutBudget, SearchContext, SearchOptions, StateSearch, WeightedState,
    /// };
    ///
    /// /// Judges a move by the playouts that begin with it, as many as the player asks for.
    /// struct Cautious {
    ///     playouts: PlayoutBudget,
    /// }
    ///
    /// impl StateSearch<Engine> for Cautious {
    ///     fn evaluate(
    ///         &self,
    ///         context: &mut SearchContext<'_, Engine>,
    ///         states: &[WeightedState<'_, State>],
    ///     ) -> Evaluations {
    ///         let (algorithm, playouts) = (Algorithm::Flat, self.playouts);
    ///         let options = SearchOptions { algorithm, playouts, ..SearchOptions::default() };
    ///         let mut made = options.evaluate(context, states);
    ///         for value in made.states.iter_mut().flat_map(|state| &mut state.values) {
    ///             *value = value.min(90.0); // A sure win is not trusted.
    ///         }
    ///         made
    ///     }
    /// }
    ///
    /// let entry = SpecEntry::new("cautious", "playouts of each move, whose values end at 90")
    ///     .with(SpecKey::count("most", 1..=1_000_000, 500, "the most playouts of a decision"));
    /// let registry = Registry::standard().with_search(entry, |spec, effort| {
    ///     let count = effort.playouts.count.min(spec.count("most"));
    ///     Ok(Cautious { playouts: PlayoutBudget { count, ..effort.playouts } })
    /// })?;
    /// let player = registry.player("hyperplay:search=cautious:most=50")?;
    /// assert_eq!(player.spec().to_string(), "hyperplay:search=cautious:most=50");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`with_player`](Registry::with_player).
    pub fn with_search<S: StateSearch<Engine> + 'static>(
        self,
        entry: SpecEntry,
        read: impl Fn(&Spec, &SearchEffort) -> SpecResult<S> + Send + Sync + 'static,
    ) -> Result<Registry, RegistryError> {
        self.with(entry, SpecMaker::Search(Arc::new(move |spec, effort| Ok(Arc::new(read(spec, effort)?)))))
    }

    /// Adds an opponent model. One that is uniform says so by [`is_uniform`] and has no tremble. One that evaluates
    /// the rules itself says by [`policy_and_failure`] where that failed.
    ///
    /// [`is_uniform`]: hyperplay_think::belief::OpponentModel::is_uniform
    /// [`policy_and_failure`]: hyperplay_think::belief::OpponentModel::policy_and_failure
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use hyperplay_engine::Engine;
    /// use hyperplay_machine::{Evidence, Move, Role};
    /// use hyperplay_think::belief::{OpponentModel, SharedModel};
    /// use hyperplay_play::player::{Registry, SpecEntry, SpecKey};
    ///
    /// /// Plays the first legal move with probability `share`, and each of the others with an equal part of the rest.
    /// struct Leading {
    ///     share: f64,
    /// }
    ///
    /// impl OpponentModel for Leading {
    ///     fn policy(&self, _: Role, _: &Evidence, legal: &[Move]) -> Vec<f64> {
    ///         if legal.len() == 1 {
    ///             return vec![1.0];
    ///         }
    ///         let rest = (1.0 - self.share) / (legal.len() - 1) as f64;
    ///         (0..legal.len()).map(|place| if place == 0 { self.share } else { rest }).collect()
    ///     }
    /// }
    ///
    /// let entry = SpecEntry::new("leading", "prefers the first legal move")
    ///     .with(SpecKey::real("share", 0.0..=1.0, 0.5, "the probability of that move"));
    /// let registry = Registry::standard().with_model(entry, |spec, _| {
    ///     let share = spec.real("share");
    ///     Ok(move |_: &Arc<Engine>| -> SharedModel { Arc::new(Leading { share }) })
    /// })?;
    /// let player = registry.player("hyperplay:model=leading:share=0.8")?;
    /// let sampler = registry.sampler("bootstrap:model=leading")?;
    /// assert_eq!(player.spec().to_string(), "hyperplay:model=leading:share=0.8");
    /// assert_eq!(sampler.assumed().spec().name(), "leading");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`with_player`](Registry::with_player).
    pub fn with_model<B: Fn(&Arc<Engine>) -> SharedModel + Send + Sync + 'static>(
        self,
        entry: SpecEntry,
        read: impl Fn(&Spec, &Registry) -> SpecResult<B> + Send + Sync + 'static,
    ) -> Result<Registry, RegistryError> {
        self.with(entry, SpecMaker::Model(Arc::new(move |spec, all| Ok(Arc::new(read(spec, all)?)))))
    }

    /// The same entries, but the model `learnt` learns from these matches.
    pub(super) fn learning_from(&self, seen: &Arc<SeenMatches>) -> Registry {
        let (mut all, seen) = (Vec::clone(&self.0), Arc::clone(seen));
        let model =
            all.iter_mut().find(|(entry, made)| made.kind() == SpecKind::Model && entry.name == LEARNT);
        if let Some((_, made)) = model {
            *made = SpecMaker::Model(Arc::new(move |spec, registry| learnt(spec, registry, &seen)));
        }
        Registry(Arc::new(all))
    }

    fn with(mut self, entry: SpecEntry, made: SpecMaker) -> Result<Registry, RegistryError> {
        self.check(&entry, made.kind())?;
        let entry = Arc::new(entry);
        Arc::make_mut(&mut self.0).push((Arc::clone(&entry), made));
        // A default may name the entry itself, so these are read once it is there.
        let reader = SpecReader { registry: &self, base: None };
        let refused = |error| RegistryError::Default { entry: entry.name.clone().into_owned(), error };
        reader.check_defaults(&entry).map_err(refused)?;
        Ok(self)
    }

    /// Whether an entry is one that specs can name, with keys that they can give.
    fn check(&self, entry: &SpecEntry, kind: SpecKind) -> Result<(), RegistryError> {
        let is_plain = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        };
        let (entry_name, keys) = (&entry.name, &entry.keys);
        let mut names = std::iter::once(entry_name).chain(keys.iter().map(|key| &key.name));
        let unfit = |why| Err(RegistryError::Unfit(why));
        if let Some(name) = names.find(|name| !is_plain(name)) {
            return unfit(format!("the name '{name}': expected letters, digits, '-', '_' and '.'"));
        }
        if self.entries(kind).any(|other| other.name == *entry_name) {
            return unfit(format!("there is a {kind} '{entry_name}' already"));
        }
        for (position, SpecKey { name, .. }) in keys.iter().enumerate() {
            if keys[..position].iter().any(|other| other.name == *name) {
                return unfit(format!("'{entry_name}' has two keys '{name}'"));
            }
        }
        if keys.len() > 1 && keys.iter().any(SpecKey::stands_alone) {
            let why = "has a policy file and other keys; a policy file stands alone";
            return unfit(format!("'{entry_name}' {why}"));
        }
        Ok(())
    }

    /// The entries of a kind, in the order in which they were added.
    pub fn entries(&self, kind: SpecKind) -> impl Iterator<Item = &SpecEntry> {
        self.0.iter().filter(move |(_, made)| made.kind() == kind).map(|(entry, _)| &**entry)
    }

    /// The values that a key expects, in words; for a key whose value is a spec the names that it can have.
    pub fn expected(&self, key: &SpecKey) -> String {
        let kind = match key.kind {
            KeyType::Spec(kind) => kind,
            KeyType::File(_) if !key.default.is_empty() => return format!("{} or {}", key.default, key.kind),
            _ => return key.kind.to_string(),
        };
        let shape = |entry: &SpecEntry| match &entry.keys[..] {
            [] => entry.name.clone().into_owned(),
            [key] if key.stands_alone() => format!("{}:PATH", entry.name),
            _ => format!("{}:key=value,...", entry.name),
        };
        self.entries(kind).map(shape).collect::<Vec<String>>().join(" or ")
    }

    /// Reads the spec of a player; paths in it are relative to the working directory.
    ///
    /// # Errors
    /// [`SpecError`] says what is wrong and what there is instead.
    pub fn player(&self, text: &str) -> SpecResult<PlayerSpec> {
        self.player_in(text, Path::new(""))
    }

    /// As [`player`](Registry::player), with paths relative to the folder `base`.
    ///
    /// # Errors
    /// As [`player`](Registry::player).
    pub fn player_in(&self, text: &str, base: &Path) -> SpecResult<PlayerSpec> {
        Ok(self.player_of(&self.read(SpecKind::Player, text, Some(base))?)?.in_series())
    }

    /// Reads the spec of a sampler.
    ///
    /// # Errors
    /// As [`player`](Registry::player).
    pub fn sampler(&self, text: &str) -> SpecResult<SamplerSpec> {
        self.sampler_of(&self.read(SpecKind::Sampler, text, Some(Path::new("")))?)
    }

    /// Reads the spec of an opponent model.
    ///
    /// # Errors
    /// As [`player`](Registry::player).
    pub fn model(&self, text: &str) -> SpecResult<ModelSpec> {
        self.model_of(&self.read(SpecKind::Model, text, Some(Path::new("")))?)
    }

    /// Reads a spec and opens no file: its values can be looked at where the files are not at hand, and nothing
    /// that needs such a file can be made of it.
    ///
    /// # Errors
    /// As [`player`](Registry::player).
    pub fn unopened(&self, kind: SpecKind, text: &str) -> SpecResult<Spec> {
        self.read(kind, text, None)
    }

    /// A spec of version 0.2 as it is written today, canonical if this registry can read it; `None` if the two are
    /// written alike. Errors in specs say it, and the records of that version are compared by it.
    ///
    /// ```
    /// use hyperplay_play::player::{Registry, SpecKind};
    ///
    /// let respelled = |text: &str| Registry::standard().respelled(SpecKind::Player, text);
    /// let today = "hyperplay:playouts=4/move,sampler=hyperplay:merge=off";
    /// assert_eq!(respelled("hyperplay:per_move=4,count=history,halving=off,merge=off").as_deref(), Some(today));
    /// assert_eq!(respelled(today), None);
    /// ```
    pub fn respelled(&self, kind: SpecKind, text: &str) -> Option<String> {
        SpecReader { registry: self, base: None }.respelled(text, kind)
    }

    /// The player of a spec, for a player that is made of other players.
    ///
    /// ```
    /// use hyperplay_play::player::{Registry, SearchEffort};
    ///
    /// let registry = Registry::standard();
    /// let player = registry.player("hyperplay:search=uct,model=softmax:level=2")?;
    /// let spec = player.spec();
    /// assert_eq!(registry.player_of(spec)?.spec(), spec);
    /// // What is in the spec is made in the same way.
    /// assert_eq!(registry.model_of(spec.inner("model"))?.spec().name(), "softmax");
    /// let effort = SearchEffort { nodes: 0, playouts: 100.into() };
    /// assert!(registry.search_of(spec.inner("search"), &effort).is_ok());
    /// let sampler = registry.sampler("bootstrap")?;
    /// assert_eq!(registry.sampler_of(sampler.spec())?.spec(), sampler.spec());
    /// # Ok::<(), hyperplay_play::player::SpecError>(())
    /// ```
    ///
    /// # Errors
    /// As [`player`](Registry::player), and [`SpecError::OtherRegistry`] for a spec that was read against a registry in
    /// which its name stands for something else. So for the sampler, the search and the opponent model of a spec.
    pub fn player_of(&self, spec: &Spec) -> SpecResult<PlayerSpec> {
        let read = self.reader(SpecKind::Player, spec, SpecMaker::try_as_player_ref)?;
        Ok(Configured::new(spec, read(spec, self)?, self))
    }

    /// The sampler of a spec, for a player that has a belief of its own.
    ///
    /// # Errors
    /// As [`player_of`](Registry::player_of).
    pub fn sampler_of(&self, spec: &Spec) -> SpecResult<SamplerSpec> {
        let read = self.reader(SpecKind::Sampler, spec, SpecMaker::try_as_sampler_ref)?;
        let (assumed, sampler) = (Assumed::of(spec, self)?, read(spec, self)?);
        Ok(Configured::new(spec, (assumed, sampler), self))
    }

    /// The search of a spec with a given effort, for a player that searches.
    ///
    /// # Errors
    /// As [`player_of`](Registry::player_of).
    pub fn search_of(&self, spec: &Spec, effort: &SearchEffort) -> SpecResult<Arc<dyn StateSearch<Engine>>> {
        self.reader(SpecKind::Search, spec, SpecMaker::try_as_search_ref)?(spec, effort)
    }

    /// The opponent model of a spec.
    ///
    /// # Errors
    /// As [`player_of`](Registry::player_of).
    pub fn model_of(&self, spec: &Spec) -> SpecResult<ModelSpec> {
        let read = self.reader(SpecKind::Model, spec, SpecMaker::try_as_model_ref)?;
        Ok(Configured::new(spec, read(spec, self)?, self))
    }

    fn read(&self, kind: SpecKind, text: &str, base: Option<&Path>) -> SpecResult<Spec> {
        SpecReader { registry: self, base }.spec(text, kind)
    }

    /// The entry of this name.
    pub(super) fn named(&self, kind: SpecKind, name: &str) -> SpecResult<&Arc<SpecEntry>> {
        self.find(kind, name).map(|(entry, _)| entry)
    }

    /// Looks up the function that builds a value from a spec, which may have been read against another registry.
    fn reader<R: ?Sized>(
        &self,
        kind: SpecKind,
        spec: &Spec,
        of: fn(&SpecMaker) -> Option<&Arc<R>>,
    ) -> SpecResult<&R> {
        let (entry, maker) = self.find(kind, spec.name())?;
        if **entry != *spec.entry {
            return Err(SpecError::OtherRegistry { spec: spec.to_string(), name: spec.name().to_owned() });
        }
        Ok(of(maker).expect("an entry of a kind makes what is of this kind"))
    }

    fn find(&self, kind: SpecKind, name: &str) -> SpecResult<&(Arc<SpecEntry>, SpecMaker)> {
        self.0.iter().find(|(entry, made)| made.kind() == kind && entry.name == name).ok_or_else(|| {
            SpecError::UnknownName {
                kind,
                name: name.to_owned(),
                known: self.entries(kind).map(|entry| entry.name.clone().into_owned()).collect(),
            }
        })
    }
}
