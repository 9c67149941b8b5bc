//! What is in a checkpoint: machines, their wires, and what was counted.

use super::container::{Container, pack};
use super::error::CheckpointError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use socscope_machine::{LockStep, Machine, RestoreError, Snapshot};
use socscope_probe::{Entries, Folded, Functions, Interruptions, More, Profile, ProfileState};
use std::collections::BTreeMap;

/// What can be said of a checkpoint without restoring it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Version of Socscope that made it.
    pub socscope: String,
    /// The machines, in the order of their places.
    pub machines: Vec<MachineFacts>,
    /// The wires between them.
    pub lock_step: LockStep,
}

/// What can be said of one machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineFacts {
    /// Name of the platform.
    pub platform: String,
    /// Changes to it, as `/path:property=value`.
    pub overrides: Vec<String>,
    /// Core cycle of the state.
    pub cycle: u64,
    /// Simulated time of the state.
    pub time_ps: u64,
    /// Hash of the state.
    pub state_hash: String,
    /// Devices that were added to the machine and have to be given to it again: name and kind.
    pub added_devices: Vec<(String, String)>,
    /// Whether there is a profile.
    pub profiled: bool,
    /// Whatever else its maker wants to know.
    pub notes: BTreeMap<String, String>,
}

/// An image that belongs to a machine: for its symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatImage {
    /// Name for people.
    pub name: String,
    /// The file.
    pub bytes: Vec<u8>,
}

/// A machine, and what goes with it.
pub struct Seat<'a> {
    /// The machine.
    pub machine: &'a mut Machine,
    /// Its profile, if one is on.
    pub profile: Option<&'a Profile>,
    /// Its image, if it shall be kept.
    pub image: Option<SeatImage>,
    /// Whatever else its maker wants to know.
    pub notes: BTreeMap<String, String>,
}

/// A checkpoint that was read and found undamaged.
#[derive(Debug)]
pub struct Checkpoint {
    container: Container,
    facts: Facts,
}

#[derive(Serialize, Deserialize)]
struct SavedImage {
    name: String,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
}

/// Machines that share one time, at most.
const MACHINES_MAX: usize = 64;
/// The largest facts and device trees.
const FACTS_BYTES_MAX: u64 = 16 << 20;
/// The largest image that is kept; who goes on from a checkpoint of a larger one names its file.
const IMAGE_BYTES_MAX: u64 = 512 << 20;
/// What the name of an image and the lengths take beside its bytes.
const IMAGE_FRAME_BYTES_MAX: u64 = 1 << 16;
/// The largest profile: its contexts, transfers and spans are bounded.
const PROFILE_BYTES_MAX: u64 = 512 << 20;

/// What a profile knows beside its first core's contexts.
const MORE: &str = "profile-more";
/// What a profile has counted together because there was too much of it.
const FOLDED: &str = "profile-folded";
/// Functions in memory that a core alone sees; only where there are any.
const OWN_FUNCTIONS: &str = "profile-own-functions";
const ENTRIES: &str = "profile-entries";
const INTERRUPTIONS: &str = "profile-interrupted";

/// First address, the one behind the last, and number of each.
type SavedFunctions = Vec<(u32, u32, i64)>;

#[derive(Serialize, Deserialize)]
struct SavedProfile {
    functions: SavedFunctions,
    state: ProfileState,
}

impl Checkpoint {
    /// Machines that share one time, as the bytes of a checkpoint. `socscope` is the version that makes it.
    ///
    /// # Errors
    /// Parts that cannot be written down.
    pub fn write(
        socscope: &str,
        seats: &mut [Seat],
        lock_step: &LockStep,
    ) -> Result<Vec<u8>, CheckpointError> {
        let mut sections = vec![];
        let mut machines = vec![];
        if seats.len() > MACHINES_MAX {
            return Err(too_many_machines(seats.len()));
        }
        for (index, seat) in seats.iter_mut().enumerate() {
            let snapshot = seat.machine.snapshot();
            let mut add = |name: &str, bytes| sections.push((name_of(index, name), bytes));
            add("platform", snapshot.device_tree().to_vec());
            for (name, bytes) in snapshot.sections() {
                add(name, bytes);
            }
            let image = seat.image.take();
            let kept = image.filter(|image| image.bytes.len() as u64 <= IMAGE_BYTES_MAX);
            if let Some(SeatImage { name, bytes }) = kept {
                add("image", encode("image", &SavedImage { name, bytes })?);
            }
            if let Some(profile) = seat.profile {
                let saved = SavedProfile {
                    functions: profile.functions().entries().collect(),
                    state: profile.save(),
                };
                add("profile", encode("profile", &saved)?);
                let own: Vec<_> = profile.functions().own_entries().collect();
                if !own.is_empty() {
                    add(OWN_FUNCTIONS, encode(OWN_FUNCTIONS, &own)?);
                }
                // A profile out of a file that does not know it goes on without it.
                if *saved.state.more() != More::default() {
                    add(MORE, encode(MORE, saved.state.more())?);
                }
                if *saved.state.interruptions() != Interruptions::default() {
                    let bytes = encode(INTERRUPTIONS, saved.state.interruptions())?;
                    add(INTERRUPTIONS, bytes);
                }
                if *saved.state.entries() != Entries::default() {
                    add(ENTRIES, encode(ENTRIES, saved.state.entries())?);
                }
                if *saved.state.folded() != Folded::default() {
                    add(FOLDED, encode(FOLDED, saved.state.folded())?);
                }
            }
            machines.push(MachineFacts {
                platform: snapshot.platform().into(),
                overrides: snapshot.overrides().to_vec(),
                cycle: snapshot.cycle(),
                time_ps: seat.machine.now().0,
                state_hash: seat.machine.state_hash(),
                added_devices: snapshot
                    .added_devices()
                    .map(|(name, title)| (name.into(), title.into()))
                    .collect(),
                profiled: seat.profile.is_some(),
                notes: std::mem::take(&mut seat.notes),
            });
        }
        let facts = Facts {
            socscope: socscope.into(),
            machines,
            lock_step: lock_step.clone(),
        };
        sections.insert(0, ("facts".into(), encode("facts", &facts)?));
        pack(&sections)
    }

    /// Reads the bytes of a checkpoint.
    ///
    /// # Errors
    /// Files that are none, are of another format, are cut off or damaged.
    pub fn read(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        let container = Container::unpack(bytes)?;
        let facts: Facts = decode("facts", &container.section("facts", FACTS_BYTES_MAX)?)?;
        if facts.machines.len() > MACHINES_MAX {
            return Err(too_many_machines(facts.machines.len()));
        }
        Ok(Checkpoint { container, facts })
    }

    /// What can be said of it.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Name, length and stored length of its sections.
    pub fn sections(&self) -> impl Iterator<Item = (&str, u64, u64)> {
        self.container.sizes()
    }

    /// The device tree of a machine.
    ///
    /// # Errors
    /// A machine that is not in it.
    pub fn device_tree(&self, machine: usize) -> Result<Vec<u8>, CheckpointError> {
        let name = name_of(machine, "platform");
        self.container.section(&name, FACTS_BYTES_MAX)
    }

    /// The image of a machine, if it was kept.
    ///
    /// # Errors
    /// A section that cannot be read.
    pub fn image(&self, machine: usize) -> Result<Option<SeatImage>, CheckpointError> {
        let name = name_of(machine, "image");
        if !self.container.has(&name) {
            return Ok(None);
        }
        let bytes_max = IMAGE_BYTES_MAX + IMAGE_FRAME_BYTES_MAX;
        let SavedImage { name, bytes } = decode(&name, &self.container.section(&name, bytes_max)?)?;
        Ok(Some(SeatImage { name, bytes }))
    }

    /// A new machine of the same platform, in its first state. Devices that were added have to be given to it before it is restored.
    ///
    /// # Errors
    /// A machine that is not in it, or a platform that this version does not know.
    pub fn build(&self, machine: usize) -> Result<Machine, CheckpointError> {
        let tree = self.device_tree(machine)?;
        let facts = self.facts.machines.get(machine);
        let facts = facts.ok_or_else(|| missing(machine))?;
        Ok(Machine::new(&tree, &facts.platform, &facts.overrides)?)
    }

    /// Puts a machine into the state that was saved, and gives its profile. When that is not possible nothing changes.
    ///
    /// # Errors
    /// Parts that this version cannot read, devices that are missing, and states that are not the one that was saved.
    pub fn restore(
        &self,
        index: usize,
        machine: &mut Machine,
    ) -> Result<Option<Profile>, CheckpointError> {
        let facts = self.facts.machines.get(index);
        let facts = facts.ok_or_else(|| missing(index))?;
        let refuse = |reason: RestoreError| CheckpointError::State {
            machine: index,
            reason,
        };
        let same_tree = machine.device_tree() == self.device_tree(index)?;
        if !same_tree || machine.overrides() != facts.overrides {
            return Err(refuse(RestoreError::OtherPlatform {
                expected: machine.platform().into(),
                found: facts.platform.clone(),
            }));
        }
        let mut unreadable = None;
        let find = |part: &str| {
            let (name, bytes_max) = (
                name_of(index, part),
                Snapshot::section_bytes_max(machine, part),
            );
            if !self.container.has(&name) {
                return None;
            }
            let section = self.container.section(&name, bytes_max);
            section.map_err(|error| unreadable = Some(error)).ok()
        };
        let snapshot = Snapshot::from_sections(machine, find);
        if let Some(error) = unreadable {
            return Err(error);
        }
        let snapshot = snapshot.map_err(refuse)?;
        let before = machine.snapshot();
        machine.restore(&snapshot).map_err(refuse)?;
        let profile = self.check(index, machine);
        if profile.is_err() {
            machine.restore(&before).map_err(refuse)?;
        }
        profile
    }

    /// The profile of a machine that was just restored, if that went well.
    fn check(&self, index: usize, machine: &Machine) -> Result<Option<Profile>, CheckpointError> {
        let facts = &self.facts.machines[index];
        if machine.state_hash() != facts.state_hash {
            return Err(CheckpointError::StateHash { machine: index });
        }
        if (machine.cycle(), machine.now().0) != (facts.cycle, facts.time_ps) {
            return Err(CheckpointError::Moment {
                machine: index,
                saved: moment_of(machine.cycle(), machine.now().0),
                said: moment_of(facts.cycle, facts.time_ps),
            });
        }
        let name = name_of(index, "profile");
        if !self.container.has(&name) {
            return Ok(None);
        }
        let SavedProfile {
            functions,
            mut state,
        } = decode(&name, &self.container.section(&name, PROFILE_BYTES_MAX)?)?;
        let more = name_of(index, MORE);
        if self.container.has(&more) {
            let bytes = self.container.section(&more, PROFILE_BYTES_MAX)?;
            state = state.with_more(decode(&more, &bytes)?);
        }
        let folded = name_of(index, FOLDED);
        if self.container.has(&folded) {
            let bytes = self.container.section(&folded, PROFILE_BYTES_MAX)?;
            state = state.with_folded(decode(&folded, &bytes)?);
        }
        let entries = name_of(index, ENTRIES);
        if self.container.has(&entries) {
            let bytes = self.container.section(&entries, PROFILE_BYTES_MAX)?;
            state = state.with_entries(decode(&entries, &bytes)?);
        }
        let interruptions = name_of(index, INTERRUPTIONS);
        if self.container.has(&interruptions) {
            let bytes = self.container.section(&interruptions, PROFILE_BYTES_MAX)?;
            state = state.with_interruptions(decode(&interruptions, &bytes)?);
        }
        let overlap = |section: &String| {
            let section = section.clone();
            |start| CheckpointError::Section {
                section,
                reason: format!("the function at {start:#010x} overlaps the one before it"),
            }
        };
        let mut functions = Functions::new(&functions).map_err(overlap(&name))?;
        let own = name_of(index, OWN_FUNCTIONS);
        if self.container.has(&own) {
            let bytes = self.container.section(&own, PROFILE_BYTES_MAX)?;
            let lists: Vec<(u16, SavedFunctions)> = decode(&own, &bytes)?;
            for (core, list) in lists {
                functions = functions.with_own(core, &list).map_err(overlap(&own))?;
            }
        }
        let profile = Profile::restore(machine, functions, state);
        let profile = profile.map_err(|reason| CheckpointError::Profile {
            machine: index,
            reason,
        })?;
        Ok(Some(profile))
    }
}

/// A section of a machine: `1/core`.
fn name_of(machine: usize, section: &str) -> String {
    format!("{machine}/{section}")
}

fn moment_of(cycle: u64, time_ps: u64) -> String {
    format!("cycle {cycle}, {time_ps} ps")
}

fn too_many_machines(count: usize) -> CheckpointError {
    CheckpointError::Section {
        section: "facts".into(),
        reason: format!("{count} machines, it can be {MACHINES_MAX} at most"),
    }
}

fn missing(machine: usize) -> CheckpointError {
    CheckpointError::Section {
        section: "facts".into(),
        reason: format!("there is no machine {machine}"),
    }
}

fn encode<T: Serialize>(section: &str, value: &T) -> Result<Vec<u8>, CheckpointError> {
    postcard::to_allocvec(value).map_err(|error| CheckpointError::Section {
        section: section.into(),
        reason: error.to_string(),
    })
}

fn decode<T: DeserializeOwned>(section: &str, bytes: &[u8]) -> Result<T, CheckpointError> {
    let refuse = |reason: String| CheckpointError::Section {
        section: section.into(),
        reason,
    };
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(refuse(format!("{} bytes too many", rest.len()))),
        Err(error) => Err(refuse(format!("cannot be read by this version: {error}"))),
    }
}
