//! Agents in ranges of slots: copied, dropped, and replaced by others.

use std::ops::Range;

use super::{Agent, Agents, Spawn, Units};

impl Agents {
    /// Removes all agents, but not the columns.
    pub(crate) fn clear(&mut self) {
        self.splice(0..self.len(), (&self.none_alike(), 0..0));
    }

    /// Appends an agent in a new slot, in all columns.
    pub(crate) fn push_spawn(&mut self, spawn: &Spawn, id: u32) {
        let Spawn { position, velocity, radius, faction, health, species } = *spawn;
        self.push(Agent { position, velocity, radius, id });
        if let Some(units) = &mut self.units {
            units.push(faction, health);
        }
        if let Some(own) = &mut self.own {
            own.push(species);
        }
    }

    /// A copy of the agents in some slots.
    pub(crate) fn copied(&self, slots: Range<usize>) -> Self {
        let mut copy = self.none_alike();
        copy.splice(0..0, (self, slots));
        copy
    }

    /// Replaces the agents in some slots by those in slots of others, which have the same columns.
    pub(crate) fn splice(&mut self, slots: Range<usize>, (from, by): (&Self, Range<usize>)) {
        fn replace<T: Copy>(to: &mut Vec<T>, slots: &Range<usize>, from: &[T]) {
            to.splice(slots.clone(), from.iter().copied());
        }
        let Self { x, y, vx, vy, radius, id, units, own } = self;
        let columns = [(x, &from.x), (y, &from.y), (vx, &from.vx), (vy, &from.vy)];
        for (column, from) in columns.into_iter().chain([(radius, &from.radius)]) {
            replace(column, &slots, &from[by.clone()]);
        }
        replace(id, &slots, &from.id[by.clone()]);
        if let (Some(Units { faction, health }), Some(from)) = (units, &from.units) {
            replace(faction, &slots, &from.faction[by.clone()]);
            replace(health, &slots, &from.health[by.clone()]);
        }
        if let (Some(own), Some(from)) = (own, &from.own) {
            if let (Some(column), Some(from)) = (&mut own.species, &from.species) {
                replace(column, &slots, &from[by.clone()]);
            }
            for (column, from) in own.numbers.iter_mut().zip(&from.numbers) {
                replace(&mut column.values, &slots, &from.values[by.clone()]);
            }
        }
    }

    /// Keeps those of the first agents that stay, and none of the others.
    pub(crate) fn keep_first(&mut self, stay: &[bool]) {
        fn keep<T>(column: &mut Vec<T>, stay: &[bool]) {
            column.truncate(stay.len());
            let mut stay = stay.iter();
            column.retain(|_| stay.next() == Some(&true));
        }
        let Self { x, y, vx, vy, radius, id, units, own } = self;
        for column in [x, y, vx, vy, radius] {
            keep(column, stay);
        }
        keep(id, stay);
        if let Some(Units { faction, health }) = units {
            keep(faction, stay);
            keep(health, stay);
        }
        if let Some(own) = own {
            if let Some(species) = &mut own.species {
                keep(species, stay);
            }
            for column in &mut own.numbers {
                keep(&mut column.values, stay);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OwnColumn, OwnColumns, Scene, Setup, scene};

    /// All that some agents have, a row per slot.
    fn rows(agents: &Agents) -> Vec<String> {
        let Agents { units: Some(units), own: Some(own), .. } = agents else {
            panic!("has columns")
        };
        let species = own.species.as_ref().unwrap();
        let lengths =
            [units.faction.len(), units.health.len(), species.len(), own.numbers[0].values.len()];
        assert_eq!(lengths, [agents.len(); 4], "columns of one length");
        (0..agents.len())
            .map(|slot| {
                let further = (units.faction[slot], units.health[slot], species[slot]);
                format!("{:?} {further:?} {}", agents.get(slot), own.numbers[0].values[slot])
            })
            .collect()
    }

    #[test]
    fn all_columns_follow() {
        let mut agents =
            scene::place(&Setup { agents: 40, ..Setup::new(Scene::Melee) }).unwrap().agents;
        let own = OwnColumns::new().with_species((0..40).collect()).with_numbers(OwnColumn::new(
            "mood",
            0.0,
            (0..40).map(|slot| slot as f32).collect(),
        ));
        agents.own = Some(Box::new(own));
        let mut expected = rows(&agents);
        let others = agents.copied(7..19);
        assert_eq!(rows(&others), expected[7..19]);

        agents.splice(3..30, (&others, 2..12));
        expected.splice(3..30, rows(&others)[2..12].to_vec());
        assert_eq!(rows(&agents), expected);

        let stay: Vec<_> = (0..20).map(|slot| slot % 3 != 0).collect();
        agents.keep_first(&stay);
        let kept =
            expected.iter().zip(&stay).filter(|(_, stays)| **stays).map(|(row, _)| row.clone());
        assert_eq!(rows(&agents), kept.collect::<Vec<_>>());

        agents.clear();
        assert_eq!(rows(&agents), Vec::<String>::new());
    }
}
