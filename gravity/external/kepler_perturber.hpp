// A massive body on a Kepler ellipse that accelerates the particles of a galaxy. They do not act on it: it
// moves as if the galaxy were a point mass (Murray & Dermott 1999, ch. 2). O(N).
#pragma once

#include "gravity/external/external_field.hpp"
#include "gravity/external/particle_sums.hpp"

namespace aureole::gravity {

/// The coordinates of the particles; both have axes fixed in inertial space.
enum class PerturberFrame {
    /// Moves with the point-mass galaxy, which rests at the origin: not inertial. The field is the softened
    /// acceleration less that of the frame, m r / |r|^3, so that the galaxy stays near the origin.
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
    double softening = 0;       ///< Plummer length of its force on particles; the orbit is that of points
    PerturberFrame frame = PerturberFrame::galaxy;
};

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
