// What a disk came out as: the numbers by which one judges it, at some radii.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ics/disk/disk_equilibrium.hpp"

namespace aureole::ics {
namespace {

constexpr std::array<double, 8> shown{0.5, 1, 1.5, 2, 2.5, 3, 4, 6};  ///< scale lengths
constexpr double thin = 0.2;  ///< z_d / R_d up to which the plane and the vertical may be taken apart
constexpr double bar_radius = 2.2;

Table columns()
{
    const Dimension speed{.velocity = 1}, frequency{.length = -1, .velocity = 1};
    Table table;
    const auto add = [&](const char* name, const char* description, Dimension dimension) {
        table.columns.push_back({name, description, dimension, 1, std::vector<double>{}});
    };
    add("R", "radius", {.length = 1});
    add("v_c", "circular velocity in the total field", speed);
    add("kappa", "epicyclic frequency", frequency);
    add("Q", "sigma_R kappa / (3.36 G Sigma) of the particles", {});
    add("X2", "kappa^2 R / (4 pi G Sigma), for two arms", {});
    add("v_phi", "mean azimuthal velocity", speed);
    add("sigma_R", "radial dispersion", speed);
    add("sigma_phi", "azimuthal dispersion", speed);
    add("sigma_z", "vertical dispersion in the plane", speed);
    add("height", "median |z|", {.length = 1});
    return table;
}

}  // namespace

Report DiskEquilibrium::report() const
{
    Report result{columns(), {}};
    const double scale = config_.scale_length, half_mass = profile_.vertical.height_holding(0.5);
    double least_q = 1e300, at_least_q = 0;
    for (const double share : shown) {
        const double radius = share * scale;
        const PlaneSample plane = curve_.at(radius);
        const PlanarMoments moments = planar_moments(radius);
        const double q = toomre_q(radius);
        if (q < least_q) {
            least_q = q;
            at_least_q = radius;
        }
        const double swing = plane.kappa2 * radius / (4 * std::numbers::pi * moments.surface_density);
        const std::array<double, 10> row{radius,
                                         std::sqrt(plane.speed2),
                                         std::sqrt(plane.kappa2),
                                         q,
                                         swing,
                                         moments.mean_phi,
                                         moments.sigma_r,
                                         moments.sigma_phi,
                                         sigma_z(radius),
                                         half_mass};
        for (std::size_t k = 0; k < row.size(); ++k)
            std::get<std::vector<double>>(result.table.columns[k].values).push_back(row[k]);
        ++result.table.rows;
    }
    const double at = bar_radius * scale;
    const double share = at * field_in_plane(profile_, at).slope / curve_.at(at).speed2;
    result.notes.push_back(fmt::format(
        "the disk makes {:.3f} of v_c^2 at 2.2 scale lengths, and its least Q is {:.3f}, at {:.3g} of them",
        share, least_q, at_least_q / scale));
    if (least_q < 1) result.notes.emplace_back("Q is below 1: rings fragment within a rotation");
    if (planar_) {
        const auto [density, dispersion] = planar_->largest_misses(0.1 * scale, 6 * scale);
        result.notes.push_back(fmt::format(
            "between 0.1 and 6 scale lengths its distribution function misses the surface density by at most "
            "{:.1f} % and the radial dispersion by {:.1f} %",
            100 * density, 100 * dispersion));
    } else
        result.notes.emplace_back(
            "method moments draws Gaussians, which are no equilibrium: rings and heights change at once");
    if (profile_.vertical.height() > thin * scale)
        result.notes.push_back(fmt::format(
            "scale_height is {:.3g} of scale_length: above {} motions in the plane and at right angles to it "
            "do not separate, and the disk is no equilibrium to a few per cent",
            profile_.vertical.height() / scale, thin));
    return result;
}

}  // namespace aureole::ics
