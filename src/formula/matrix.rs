//! A number for each pair of species.

/// A number for each pair of up to 16 species: a row for the one that feels, a column for the one that is felt.
///
/// ```
/// use jostle::rules::SpeciesMatrix;
///
/// let pull = SpeciesMatrix::new(&[&[0.5, -1.0], &[2.0, 0.0]]);
/// assert_eq!([pull.get(0.0, 1.0), pull.get(1.0, 0.0)], [-1.0, 2.0]);
/// assert_eq!(pull.get(1.0, 7.0), 0.0, "a species without a column");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SpeciesMatrix([f32; Self::SPECIES * Self::SPECIES]);

impl SpeciesMatrix {
    /// Species that a matrix knows.
    pub const SPECIES: usize = 16;

    /// The matrix of these rows; what they lack is 0.
    ///
    /// # Panics
    /// If there are more than 16 rows, or a row is longer than 16.
    #[must_use]
    pub fn new(rows: &[&[f32]]) -> Self {
        let mut matrix = Self([0.0; Self::SPECIES * Self::SPECIES]);
        assert!(rows.len() <= Self::SPECIES, "{} rows: expected at most 16", rows.len());
        for (row, values) in rows.iter().enumerate() {
            assert!(values.len() <= Self::SPECIES, "{} columns: expected at most 16", values.len());
            matrix.0[row * Self::SPECIES..][..values.len()].copy_from_slice(values);
        }
        matrix
    }

    /// The number for two species, as a rule reads them from
    /// [`RuleColumn::Species`](crate::rules::RuleColumn::Species). Of a species above
    /// 15, only the lowest four bits count.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, i: f32, j: f32) -> f32 {
        self.0[(low_bits(i) << 4 | low_bits(j)) as usize]
    }
}

/// The lowest four bits of a whole number, at most 2²³, without a conversion that saturates.
#[inline(always)]
fn low_bits(number: f32) -> u32 {
    const WHOLE: f32 = (1 << 23) as f32;
    (number + WHOLE).to_bits() & 15
}
