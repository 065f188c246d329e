// A massive body on a Kepler ellipse that accelerates the particles of a galaxy. They do not act on it: it
// moves as if the galaxy were a point mass (Murray & Dermott 1999, ch. 2). O(N).
#pragma once

#include "gravity/external/with_external.hpp"
#include "gravity/force_request.hpp"
#include "gravity/pair.hpp"
#include "sim/core/buffer.hpp"

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

class KeplerPerturber final : public ExternalField {
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
    Buffer<double> partial_;  ///< scratch, kept between calls
};

// The field of one body in a frame that may be accelerated. O(N), bound by memory.

struct PointMass {
    double mass;
    double softening2;  ///< eps^2 of the Plummer kernel
    Vec3 position;
    Vec3 frame_acceleration;  ///< of the coordinates in inertial space

    /// Zero from the body itself at its own position, whatever the softening.
    AUREOLE_HD Vec3 acceleration(Vec3 x) const
    {
        const Vec3 d = position - x;
        const double r2 = dot(d, d);
        const double strength = r2 > 0 ? mass * plummer_pair(r2, softening2).force : 0.0;
        return strength * d - frame_acceleration;
    }
};

/// a += the body's field, of the targets, which are clipped (72 B a particle).
void add_acceleration(Exec exec, const ConstParticlesView& particles, const Selection& targets,
                      const PointMass& body, const Vec3View& acceleration);

/// Partial sums of power(): enough threads to fill a GPU. power() needs memory for this many numbers, or for
/// one a particle where there are fewer particles.
inline constexpr Index n_power_partials = 65536;

/// partial[0] = sum m v.a of the body's field (56 B a particle). Needs particles.n > 0.
void power(Exec exec, const ConstParticlesView& particles, const PointMass& body, double* partial);

}  // namespace aureole::gravity
