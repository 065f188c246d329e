#include "sim/run/halo_description.hpp"

#include <cmath>

#include "halo/centres/centres.hpp"
#include "halo/halo_tables.hpp"
#include "halo/member_order.hpp"
#include "halo/substructure/substructure.hpp"
#include "sim/core/error.hpp"
#include "sim/run/member_potentials.hpp"

namespace aureole::run {
namespace {

constexpr double mpc_cm = 1e3 * kpc_cm;

/// 100 h km/s/Mpc in the numbers of a file; where these carry 1/h, h drops out.
double hubble_constant(const io::SnapshotHeader& header, const UnitSystem& units)
{
    const double per_length = 1e7 / units.velocity_cm_per_s * units.length_cm / mpc_cm;
    return header.comoving && header.h_exponent != 0 ? per_length : header.hubble * per_length;
}

/// Particles whose masses are multiplied by G, so that what assumes G = 1 finds potentials in squared
/// velocities. To be read only.
class PullingParticles {
public:
    PullingParticles(const Particles& host, double gravitational_constant) : view_(host.reading_view())
    {
        if (gravitational_constant == 1) return;
        mass_.assign(host.mass.host().begin(), host.mass.host().end());
        for (double& mass : mass_) mass *= gravitational_constant;
        view_.mass = mass_.data();
    }
    PullingParticles(const PullingParticles&) = delete;
    PullingParticles& operator=(const PullingParticles&) = delete;

    const ParticlesView& view() const { return view_; }

private:
    std::vector<double> mass_;
    ParticlesView view_;
};

halo::CentreConfig centre_config(const HalosConfig& halos, const HaloSurroundings& around)
{
    halo::CentreConfig config;
    config.method = halos.centre;
    config.softening = around.softening;
    config.linking_length = around.linking_length;
    config.grid = static_cast<int>(halos.poisson_grid);
    config.search_radius = halos.poisson_search_radius;
    return config;
}

halo::SubhaloConfig subhalo_config(const HalosConfig& halos, const HaloSurroundings& around)
{
    halo::SubhaloConfig config;
    config.min_members = halos.subhalo_min_members;
    config.box = around.box;
    config.gravity = halo_gravity(around.softening);
    return config;
}

/// What tables need of lists of members, one way for groups and subhalos.
struct Described {
    Described(const ParticlesView& pulling, const halo::Members& members, const HalosConfig& halos,
              const HaloSurroundings& around)
        : centre(halo::find_centres(pulling, members, around.box, centre_config(halos, around)).position),
          potential(member_potentials(pulling, members, around.softening, around.box))
    {
    }

    std::vector<Vec3> centre;
    std::vector<double> potential;  ///< per particle
};

}  // namespace

HaloSurroundings surroundings_of(const io::SnapshotHeader& header, const UnitSystem& units,
                                 const HalosConfig& halos)
{
    HaloSurroundings around;
    const double g = units.gravitational_constant();
    const double a = header.comoving ? 1 / (1 + header.redshift) : 1;
    around.gravitational_constant = g / std::pow(a, 1 + 2 * header.velocity_a_exponent);
    if (halos.reference_density) {
        around.densities = halo::reference_densities(*halos.reference_density);
    } else if (header.omega0 > 0) {
        const halo::Cosmology cosmology{.omega_m = header.omega0,
                                        .omega_lambda = header.omega_lambda,
                                        .hubble = hubble_constant(header, units),
                                        .scale_factor = a,
                                        .comoving = header.comoving};
        around.densities = halo::reference_densities(cosmology, g);
    }
    return around;
}

std::vector<halo::DensityThreshold> thresholds_of(const HalosConfig& halos,
                                                  const halo::ReferenceDensities& densities)
{
    const bool known = std::isfinite(densities.critical);
    if (halos.overdensities.empty())
        return known ? halo::usual_thresholds(densities) : std::vector<halo::DensityThreshold>{};
    std::vector<halo::DensityThreshold> thresholds;
    for (const std::string& name : halos.overdensities) {
        thresholds.push_back(halo::density_threshold(name, densities));
        if (!std::isfinite(thresholds.back().density))
            throw ConfigError(
                fmt::format("halos.overdensities: found {}, but nothing says a density: no "
                            "cosmology here; say halos.reference_density",
                            name));
    }
    return thresholds;
}

FoundHalos describe_groups(const Particles& host, const halo::Groups& groups, const HalosConfig& halos,
                           const HaloSurroundings& around)
{
    const PullingParticles pulling(host, around.gravitational_constant);
    const halo::Members members = halo::members_of(groups);
    const std::vector<halo::DensityThreshold> thresholds = thresholds_of(halos, around.densities);
    const Described of_groups(pulling.view(), members, halos, around);
    halo::TableInput input{.particles = host,
                           .groups = groups,
                           .box = around.box,
                           .group_centre = of_groups.centre,
                           .group_potential = of_groups.potential,
                           .thresholds = thresholds,
                           .gravitational_constant = around.gravitational_constant};
    FoundHalos found;
    halo::Subhalos subhalos;
    if (halos.substructure) {
        subhalos = halo::find_subhalos(pulling.view(), members, subhalo_config(halos, around));
        const Described of_subhalos(pulling.view(), subhalos.members, halos, around);
        input.subhalos = &subhalos;
        input.subhalo_centre = of_subhalos.centre;
        input.subhalo_potential = of_subhalos.potential;
        found.subhalos = halo::subhalo_properties(input);
    }
    found.table = halo::group_properties(input);
    const std::vector<Index> order = halo::member_order(groups, subhalos);
    found.sorted = host.gathered(order);
    found.labels.reserve(order.size());
    for (const Index i : order) found.labels.push_back(groups.label[i]);
    return found;
}

}  // namespace aureole::run
