// A field that has a potential: it may move, turn about z and grow, all as functions of time alone.
#pragma once

#include <vector>

#include "gravity/external/external_field.hpp"
#include "gravity/external/field_config.hpp"
#include "gravity/external/field_passes.hpp"
#include "gravity/external/particle_sums.hpp"
#include "sim/core/numerics/cubic_spline.hpp"

namespace aureole::gravity {

/// Where a field is at any time. Throws ConfigError naming the key for a path or a growth that is none.
class FieldMotion {
public:
    explicit FieldMotion(const FieldPlacement& placement);

    FieldState at(double time) const;

    /// Whether it is ever another than at time 0.
    bool changes() const;

private:
    FieldPlacement placement_;
    std::vector<CubicSpline> path_;  ///< x, y, z over time; empty: on a straight line
};

class PotentialField final : public ExternalField {
public:
    PotentialField(const FieldPotential& potential, const FieldPlacement& placement);

    void add_acceleration(Exec exec, const ConstParticlesView& particles, const Selection& targets,
                          double time, const Vec3View& acceleration) override;
    void add_potential(Exec exec, const ConstParticlesView& particles, const Selection& targets, double time,
                       double* potential) override;
    double energy(Exec exec, const ConstParticlesView& particles, double time) override;
    double power(Exec exec, const ConstParticlesView& particles, double time) override;
    bool works() const override { return motion_.changes(); }
    std::size_t scratch_bytes(std::size_t n) const override { return SumScratch::bytes(n); }
    std::optional<PhaseSpacePoint> body(double) const override { return {}; }

    const FieldPotential& potential() const noexcept { return potential_; }
    FieldState state(double time) const { return motion_.at(time); }

private:
    FieldPotential potential_;
    FieldMotion motion_;
    SumScratch scratch_;
};

}  // namespace aureole::gravity
