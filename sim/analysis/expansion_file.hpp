// Between coefficients in memory (orthonormal, gravity/scf) and coefficients in files (S and T of Lowing et
// al. 2011, sim/io).
#pragma once

#include <span>
#include <vector>

#include "gravity/scf/coefficients.hpp"
#include "gravity/scf/expansion.hpp"
#include "sim/core/particles.hpp"
#include "sim/io/fields/coefficient_file.hpp"
#include "sim/io/fields/point_table.hpp"

namespace aureole::run {

/// The same numbers as an expansion takes them, in the file's units. Throws IoError or ConfigError for what
/// the file may not hold.
gravity::scf::CoefficientSeries to_series(const io::CoefficientFile& file);

/// The file in the numbers of its run when that had nbody units, as its provenance says: without units, G
/// = 1. Any other file comes back as it is.
io::CoefficientFile restored_nbody(io::CoefficientFile file);

/// The same numbers as a file holds them; name, units, G, configuration and provenance are the caller's.
io::CoefficientFile to_file(const gravity::scf::CoefficientSeries& series);

/// Lengths, masses and times multiplied; variances by the square of the mass.
gravity::scf::CoefficientSeries scaled(gravity::scf::CoefficientSeries series, const UnitScales& scales);

/// "hernquist-ostriker" or "clutton-brock".
std::string name_of(gravity::scf::Family family);

/// Throws ConfigError naming the known families.
gravity::scf::Family family_of(const std::string& name);

// The field of one or several expansions at points of space: density, potential and acceleration.

class ExpansionField {
public:
    explicit ExpansionField(Exec exec, Precision precision) : exec_(exec), precision_(precision) {}

    /// Fields add up. Coefficients are orthonormal, laid out as `basis` says; G is what multiplies potentials
    /// and accelerations.
    void add(const gravity::scf::Basis& basis, const gravity::scf::Coefficients& coefficients, double g);

    /// Fills everything but the position of each value. The density at the centre of a cusp is infinite.
    /// Memory grows with the number of values: callers hand them over in batches.
    void evaluate(std::span<io::FieldValue> values);

private:
    struct Source {
        gravity::scf::Expansion expansion;
        Vec3 centre;
        double g;
        Buffer<double> coefficients, density_coefficients;
    };

    Exec exec_;
    Precision precision_;
    std::vector<Source> sources_;
    Particles points_;  ///< where the field is evaluated; reused by batches of one size
};

}  // namespace aureole::run
