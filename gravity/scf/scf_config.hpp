// What the expansion solver is told: for each component of the particle set a basis, a centre, and where its
// coefficients come from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gravity/scf/coefficients.hpp"

namespace aureole::gravity::scf {

/// live: coefficients of the present particles. frozen: those of the first evaluation, or of the first moment
/// of `series`; the field never changes. playback: `series` interpolated in time, its centre too.
enum class Mode { live, frozen, playback };

/// What a recentred expansion follows: the shrinking sphere of its particles, or the one of least potential
/// in their own field.
enum class Recentring { shrinking_sphere, most_bound };

/// Hall smoothing of live coefficients, see smoothing.hpp.
struct Smoothing {
    int samples = 0;  ///< sub-samples that show the noise; 0: no smoothing
    double snr = 1;   ///< larger smooths more
    double power = 1;

    bool operator==(const Smoothing&) const = default;
};

/// One component: particles + basis + centre.
struct FieldConfig {
    Basis basis;
    Symmetry symmetry;
    Mode mode = Mode::live;

    /// Nothing: that of `series`, else the shrinking sphere of the component's particles at the first
    /// evaluation. Initial conditions are shifted to their barycentre, which particles far out carry away
    /// from the densest point; an expansion belongs on that point.
    std::optional<Vec3> centre;
    double recenter_every = 0;  ///< interval of time; 0: the centre stays
    Recentring recenter_on = Recentring::shrinking_sphere;
    Smoothing smoothing;
    std::optional<CoefficientSeries> series;
    std::string series_name = "its file of coefficients";  ///< for messages
};

struct Config {
    FieldConfig defaults;                 ///< of component numbers beyond those listed
    std::vector<FieldConfig> components;  ///< by component number
    /// Takes the mass-weighted mean acceleration off every particle. An expansion does not know Newton's
    /// third law, so the total momentum wanders; with this it stays.
    bool subtract_mean_acceleration = false;
};

}  // namespace aureole::gravity::scf
