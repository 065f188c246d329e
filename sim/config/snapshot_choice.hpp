// What of the particles snapshots hold: types, fields, a part of them, digits.
#pragma once

#include <string>
#include <vector>

#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::run {

struct SnapshotChoice {
    std::vector<int> types;           ///< empty: all
    std::vector<std::string> fields;  ///< names of snapshot_field_names(); empty: all
    double subsample = 1;             ///< up to 1 the share of the particles, else one in so many
    std::uint32_t position_bits = 52, velocity_bits = 52, mass_bits = 52, potential_bits = 52;

    /// Of all particles, those that a snapshot holds.
    double share() const { return subsample > 1 ? 1 / subsample : subsample; }
    bool of_all_particles() const { return types.empty() && subsample == 1; }

    bool operator==(const SnapshotChoice&) const = default;
};

/// positions, velocities, masses, ids, potentials, groups, components.
std::vector<std::string> snapshot_field_names();

io::SnapshotFields fields_of(const SnapshotChoice& choice);
io::MantissaBits mantissa_bits_of(const SnapshotChoice& choice);

/// Throws ConfigError for unknown fields, with the nearest known one, and for fields and digits that the
/// format does not choose.
void expect_choice_possible(const SnapshotChoice& choice, const std::string& format);

/// For the provenance of a file that does not hold everything.
io::Provenance provenance_of(const SnapshotChoice& choice, std::uint64_t seed);

}  // namespace aureole::run
