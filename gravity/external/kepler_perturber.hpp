// A massive body on a Kepler ellipse that accelerates the particles of a galaxy. They do not act on it: it
// moves as if the galaxy were a point mass (Murray & Dermott 1999, ch. 2). O(N).
#pragma once

#include "gravity/external/external_field.hpp"
#include "gravity/external/field_config.hpp"
#include "gravity/external/particle_sums.hpp"

namespace aureole::gravity {

class KeplerPerturber final : public FieldWithoutPotential {
public:
    /// Throws ConfigError naming key and value for what makes no ellipse.
    explicit KeplerPerturber(const KeplerPerturberConfig& config);

    void add_acceleration(Exec exec, const ConstParticlesView& particles, const Selection& targets,
                          double time, const Vec3View& acceleration) override;
    double power(Exec exec, const ConstParticlesView& particles, double time) override;
    std::size_t scratch_bytes(std::size_t n) const override;
    std::optional<PhaseSpacePoint> body(double time) const override;

    /// Position and velocity of the perturber relative to the galaxy.
    PhaseSpacePoint relative_motion(double time) const;

    /// The point-mass galaxy in the coordinates of the frame: at rest at the origin of its own.
    PhaseSpacePoint galaxy(double time) const;

private:
    KeplerPerturberConfig config_;
    SumScratch scratch_;
};

}  // namespace aureole::gravity
