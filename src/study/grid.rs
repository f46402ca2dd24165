//! The grid of a sweep: which settings, in which order, with which seeds.

use crate::scenario::Setting;
use crate::scenario::model::{Axis, SweepSpec};

/// All runs of a sweep: every combination of the axes' values, the last axis changing fastest, a baseline from outside
/// the grid at the end; each with every seed in turn.
#[derive(Clone, Debug)]
pub struct Grid {
    axes: Vec<Axis>,
    /// The baseline's value on each axis, if it is outside the grid.
    outside: Option<Vec<String>>,
    baseline: usize,
    first_seed: u64,
    seeds: u32,
}

impl Grid {
    /// The grid that `spec` describes, with seeds from `first_seed` on.
    pub fn new(spec: &SweepSpec, first_seed: u64) -> Self {
        let inside = spec.baseline_cell.as_ref().map(|places| place_of(&spec.vary, places));
        let combinations = combinations(&spec.vary);
        Self {
            axes: spec.vary.clone(),
            outside: inside.is_none().then(|| spec.baseline_values.clone()),
            baseline: inside.unwrap_or(combinations),
            first_seed,
            seeds: spec.seeds,
        }
    }

    /// A grid over one key, for tests.
    #[cfg(test)]
    pub(crate) fn over(key: &str, values: &[&str], baseline: usize, first_seed: u64, seeds: u32) -> Self {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        let vary = vec![Axis { key: key.to_owned(), values }];
        let spec = SweepSpec { vary, baseline_cell: Some(vec![baseline]), seeds, ..SweepSpec::default() };
        Self::new(&spec, first_seed)
    }

    /// The varied keys.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// How many settings there are.
    pub fn settings(&self) -> usize {
        combinations(&self.axes) + usize::from(self.outside.is_some())
    }

    /// How many runs there are.
    pub fn runs(&self) -> usize {
        self.settings() * self.seeds as usize
    }

    /// The setting of a run.
    pub fn setting_of(&self, run: usize) -> usize {
        run / self.seeds as usize
    }

    /// The seed of a run.
    pub fn seed_of(&self, run: usize) -> u64 {
        self.first_seed + (run % self.seeds as usize) as u64
    }

    /// Which setting the others are compared with.
    pub fn baseline(&self) -> usize {
        self.baseline
    }

    /// Whether a setting stands in the grid, rather than being a baseline from outside it.
    pub fn is_inside(&self, setting: usize) -> bool {
        setting < combinations(&self.axes)
    }

    /// The value of each axis in a setting, as written.
    pub fn values(&self, setting: usize) -> Vec<&str> {
        if let Some(outside) = &self.outside
            && !self.is_inside(setting)
        {
            return outside.iter().map(String::as_str).collect();
        }
        let mut rest = setting;
        let mut values: Vec<&str> = Vec::with_capacity(self.axes.len());
        for axis in self.axes.iter().rev() {
            values.push(&axis.values[rest % axis.values.len()]);
            rest /= axis.values.len();
        }
        values.reverse();
        values
    }

    /// A setting as settings of a scenario, to be applied above all others. A key that is absent in a baseline from
    /// outside stays as the scenario has it.
    pub fn overrides(&self, setting: usize) -> Vec<Setting> {
        let pairs = self.axes.iter().zip(self.values(setting)).filter(|(_, value)| !value.is_empty());
        let set = pairs.map(|(axis, value)| Setting {
            key: axis.key.clone(),
            value: value.to_owned(),
            origin: "sweep.vary",
        });
        set.collect()
    }
}

fn combinations(axes: &[Axis]) -> usize {
    axes.iter().map(|axis| axis.values.len()).product()
}

fn place_of(axes: &[Axis], places: &[usize]) -> usize {
    axes.iter().zip(places).fold(0, |sum, (axis, place)| sum * axis.values.len() + place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(key: &str, values: &[&str]) -> Axis {
        Axis { key: key.to_owned(), values: values.iter().map(|&value| value.to_owned()).collect() }
    }

    fn spec() -> SweepSpec {
        SweepSpec {
            vary: vec![axis("a", &["1", "2"]), axis("b", &["x", "y", "z"])],
            baseline_values: vec!["2".to_owned(), "w".to_owned()],
            seeds: 2,
            ..SweepSpec::default()
        }
    }

    #[test]
    fn the_last_axis_changes_fastest_and_seeds_come_one_after_the_other() {
        let grid = Grid::new(&SweepSpec { baseline_cell: Some(vec![1, 2]), ..spec() }, 7);
        assert_eq!((grid.settings(), grid.runs(), grid.baseline()), (6, 12, 5));
        assert_eq!(grid.values(0), ["1", "x"]);
        assert_eq!(grid.values(1), ["1", "y"]);
        assert_eq!(grid.values(5), ["2", "z"]);
        assert_eq!((grid.setting_of(3), grid.seed_of(3)), (1, 8));
    }

    #[test]
    fn a_baseline_from_outside_is_a_setting_of_its_own() {
        let grid = Grid::new(&spec(), 1);
        assert_eq!((grid.settings(), grid.runs(), grid.baseline()), (7, 14, 6));
        assert_eq!(grid.values(6), ["2", "w"]);
        assert!(grid.is_inside(5) && !grid.is_inside(6));
    }

    #[test]
    fn without_axes_there_is_one_setting() {
        let none =
            SweepSpec { vary: Vec::new(), baseline_cell: Some(Vec::new()), seeds: 3, ..SweepSpec::default() };
        let grid = Grid::new(&none, 1);
        assert_eq!((grid.settings(), grid.runs(), grid.baseline()), (1, 3, 0));
        assert!(grid.values(0).is_empty());
    }
}
