#include "ics/kepler.hpp"

#include <cmath>

namespace aureole::ics {

PhaseSpacePoint relative_motion(const KeplerElements& k)
{
    const portable::SinCos anomaly = k.mean_anomaly ? true_anomaly(*k.mean_anomaly / 360, k.eccentricity)
                                                    : sin_cos_of_degrees(k.true_anomaly.value_or(0));
    return relative_motion(
        Conic{.total_mass = k.masses[0] + k.masses[1],
              .pericentre = k.pericentre ? *k.pericentre : *k.semi_major_axis * (1 - k.eccentricity),
              .eccentricity = k.eccentricity,
              .cos_true_anomaly = anomaly.cos,
              .sin_true_anomaly = anomaly.sin,
              .inclination = k.inclination,
              .ascending_node = k.ascending_node,
              .argument_of_pericentre = k.argument_of_pericentre});
}

double eccentricity_of(const Orbit& orbit, double total_mass)
{
    return orbit.eccentricity ? *orbit.eccentricity : 1 + 2 * orbit.pericentre * *orbit.energy / total_mass;
}

PhaseSpacePoint relative_motion(const Orbit& orbit, double total_mass)
{
    const double e = std::fmax(0.0, eccentricity_of(orbit, total_mass)), q = orbit.pericentre,
                 r = orbit.separation;
    // r = q (1 + e) / (1 + e cos f); 1 - cos f and 1 + cos f apart, clipped against rounding at the apsides
    double cosine = 1;
    if (e > 0) cosine = std::fmax(-1.0, 1 - (1 + e) / e * (r - q) / r);
    return relative_motion(Conic{.total_mass = total_mass,
                                 .pericentre = q,
                                 .eccentricity = e,
                                 .cos_true_anomaly = cosine,
                                 .sin_true_anomaly = -std::sqrt((1 - cosine) * (1 + cosine)),
                                 .inclination = orbit.inclination,
                                 .ascending_node = orbit.ascending_node,
                                 .argument_of_pericentre = orbit.argument_of_pericentre});
}

}  // namespace aureole::ics
