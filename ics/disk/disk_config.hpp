// What a user may say of a disk, beside its mass and number of particles.
#pragma once

#include <optional>

namespace aureole::ics {

enum class VerticalShape {
    sech2,       ///< sech^2(z / scale_height) / (2 scale_height)
    exponential  ///< exp(-|z| / scale_height) / (2 scale_height)
};

enum class DiskMethod {
    distribution_function,  ///< Dehnen (1999) in the plane, an inversion at right angles to it
    moments                 ///< Hernquist (1993): Gaussians with the second moments
};

/// The settings below `initial_conditions.disk.`: rho = M / (2 pi R_d^2) exp(-R / R_d) h(z), with a radial
/// dispersion sigma_0 exp(-R / 2 R_d), but at least sigma_0 / 100.
struct DiskConfig {
    double scale_length = 1;                 ///< R_d
    double scale_height = 0.1;               ///< z_d
    std::optional<VerticalShape> profile{};  ///< needed: the same height means other things in other papers
    std::optional<double> q{};               ///< Toomre's Q = sigma_R kappa / (3.36 G Sigma) at q_radius
    std::optional<double> q_radius{};        ///< default 2.5 scale lengths
    std::optional<double> sigma_0{};         ///< instead of q
    DiskMethod method = DiskMethod::distribution_function;
    bool adapt = false;         ///< spheres about its centre settle to its flatness (ics/disk/adaptation.hpp)
    double adapt_periods = 10;  ///< circular ones at 2.2 scale lengths, in which it becomes flat
};

}  // namespace aureole::ics
