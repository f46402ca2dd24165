//! Digests that tell whether two inputs are the same bytes. They are no protection against anybody's intent.

use std::fmt;

/// The digest of `bytes`: FNV-1a, 64 bits, hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    let mut digest = Fnv1a::default();
    digest.update(bytes);
    digest.to_string()
}

/// FNV-1a, 64 bits.
pub(super) struct Fnv1a(u64);

impl Fnv1a {
    const PRIME: u64 = 0x0000_0100_0000_01b3;

    /// Takes more bytes in.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(Self::PRIME);
        }
    }
}

impl Default for Fnv1a {
    /// The offset basis.
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl fmt::Display for Fnv1a {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_fnv_1a() {
        // Vectors of the FNV reference code (fnv64_test.c by Landon Curt Noll).
        assert_eq!(digest(b""), "cbf29ce484222325");
        assert_eq!(digest(b"a"), "af63dc4c8601ec8c");
        assert_eq!(digest(b"foobar"), "85944171f73967e8");
    }
}
