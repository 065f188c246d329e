// The field of one or several expansions at points of space: density, potential and acceleration.
#pragma once

#include <span>
#include <vector>

#include "gravity/scf/expansion.hpp"
#include "sim/core/particles.hpp"
#include "sim/io/fields/point_table.hpp"

namespace aureole::run {

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
