// Two passes per expansion: potential and acceleration, then the "potential" of the density coefficients (see
// gravity/scf/coefficients.hpp). Points are particles without mass.
#include "sim/analysis/expansion_field.hpp"

#include <cmath>

namespace aureole::run {

namespace scf = gravity::scf;

void ExpansionField::add(const scf::Basis& basis, const scf::Coefficients& coefficients, double g)
{
    scf::Expansion expansion(basis, precision_);
    const auto there = [this](const std::vector<double>& values) {
        return Buffer<double>(Backend::cpu, std::span<const double>(values)).copy_to(exec_.backend);
    };
    Buffer<double> density = there(scf::density_coefficients(expansion.tables(), coefficients.values));
    sources_.push_back(
        {std::move(expansion), coefficients.centre, g, there(coefficients.values), std::move(density)});
}

void ExpansionField::evaluate(std::span<io::FieldValue> values)
{
    Particles host(Backend::cpu, values.size());
    for (Index i = 0; i < values.size(); ++i) host.position.view().store(i, values[i].position);
    points_ = host.copy_to(exec_.backend);
    for (io::FieldValue& value : values) value = {value.position, 0, 0, {}};
    for (Source& source : sources_) {
        const scf::Basis& basis = source.expansion.tables().basis;
        source.expansion.field(exec_, points_.view(), {.potential = true}, source.centre,
                               source.coefficients);
        host = points_.copy_to(Backend::cpu);
        for (Index i = 0; i < values.size(); ++i) {
            values[i].potential += source.g * host.potential.host()[i];
            values[i].acceleration = values[i].acceleration + source.g * host.acceleration.load(i);
        }
        source.expansion.field(exec_, points_.view(), {.potential = true}, source.centre,
                               source.density_coefficients);
        host = points_.copy_to(Backend::cpu);
        for (Index i = 0; i < values.size(); ++i) {
            const Vec3 offset = values[i].position - source.centre;
            // zero times the infinite profile of a cusp is no density, not NaN
            if (const double potential = host.potential.host()[i]; potential != 0)
                values[i].density += scf::density(basis, std::sqrt(dot(offset, offset)), potential);
        }
    }
}

}  // namespace aureole::run
