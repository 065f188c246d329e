// A massive body on a Kepler ellipse that pulls the galaxy and is not pulled back by its particles: the
// galaxy moves it as a point mass would (Murray & Dermott 1999, ch. 2). O(N).
#pragma once

#include "gravity/external/external_field.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::gravity {

/// The coordinates that the particles live in; both have axes fixed in inertial space.
enum class PerturberFrame {
    /// Moves with the point-mass galaxy, which rests at the origin: not inertial. The field is the softened
    /// pull less
    /// the acceleration of the frame, m r / |r|^3, so the galaxy stays near the origin.
    galaxy,
    /// Inertial: galaxy and perturber move about their common barycentre, which rests at the origin.
    barycentric
};

/// Internal units, angles in degrees.
struct KeplerPerturberConfig {
    double mass = 0;
    double galaxy_mass = 0;  ///< the relative orbit is that of mass + galaxy_mass
    double semi_major_axis = 0;
    double eccentricity = 0;  ///< 0 <= e < 1
    double inclination = 0, ascending_node = 0, argument_of_pericentre = 0;
    double mean_anomaly = 180;  ///< at time 0; 180 is apocentre
    double softening = 0;       ///< Plummer length of the pull on particles; the orbit is that of points
    PerturberFrame frame = PerturberFrame::galaxy;
};

class KeplerPerturber final : public ExternalField {
public:
    /// Throws ConfigError naming key and value for what makes no ellipse.
    explicit KeplerPerturber(const KeplerPerturberConfig& config);

    void add_acceleration(Exec exec, const ParticlesView& particles, IndexRange targets,
                          double time) override;
    double power(Exec exec, const ParticlesView& particles, double time) override;
    std::size_t scratch_bytes(std::size_t n) const override;
    std::optional<PhaseSpacePoint> body(double time) const override;

    /// Of the perturber from the galaxy.
    PhaseSpacePoint relative_motion(double time) const;

    /// Where the point-mass galaxy is in the frame: at rest at the origin of its own.
    PhaseSpacePoint galaxy(double time) const;

private:
    KeplerPerturberConfig config_;
    Buffer<double> partial_;  ///< scratch, kept between calls
};

}  // namespace aureole::gravity
