#include "sim/analysis/halo_description.hpp"

#include <cmath>

#include "halo/catalogue/halo_tables.hpp"
#include "halo/catalogue/member_order.hpp"
#include "halo/centres/centres.hpp"
#include "halo/device_members.hpp"
#include "halo/properties/device_properties.hpp"
#include "halo/substructure/substructure.hpp"
#include "sim/analysis/halo_potentials.hpp"
#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

constexpr double mpc_cm = 1e3 * kpc_cm;

/// 100 h km/s/Mpc in the numbers of a file; where these carry 1/h, h drops out.
double hubble_constant(const io::SnapshotHeader& header, const UnitSystem& units)
{
    const double per_length = 1e7 / units.velocity_cm_per_s * units.length_cm / mpc_cm;
    return header.comoving && header.h_exponent != 0 ? per_length : header.hubble * per_length;
}

/// Particles in the memory of a backend whose masses are multiplied by G, so that what assumes G = 1 finds
/// potentials in squared velocities. To be read only.
class PullingParticles {
public:
    /// `view` is of the same particles as `host`.
    PullingParticles(const ParticlesView& view, const Particles& host, double gravitational_constant)
        : view_(view)
    {
        if (gravitational_constant == 1) return;
        std::vector<double> mass(host.mass.host().begin(), host.mass.host().end());
        for (double& m : mass) m *= gravitational_constant;
        mass_ = Buffer<double>(view.where, std::span<const double>(mass));
        view_.mass = mass_.data();
    }
    PullingParticles(const PullingParticles&) = delete;
    PullingParticles& operator=(const PullingParticles&) = delete;

    const ParticlesView& view() const { return view_; }

private:
    Buffer<double> mass_;
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

/// Everything that groups and subhalos are described with.
class Describer {
public:
    Describer(const ResidentParticles& resident, const Particles& host, const HalosConfig& halos,
              const HaloSurroundings& around)
        : exec_(resident.exec),
          resident_(resident.view),
          pulling_(resident.view, host, around.gravitational_constant),
          pulling_host_(host.reading_view(), host, around.gravitational_constant),
          halos_(halos),
          around_(around)
    {
    }

    /// Rows of any lists, with energies.
    std::vector<halo::HaloProperties> rows_of(const halo::Members& members) const
    {
        const halo::DeviceMembers lists(exec_.backend, members);
        const std::vector<Vec3> centre = halo::find_centres(exec_, pulling_.view(), lists.view(), around_.box,
                                                            centre_config(halos_, around_))
                                             .position;
        const std::vector<double> potential =
            member_potentials(pulling_host_.view(), members, around_.softening, around_.box);
        const Buffer<double> there(exec_.backend, std::span(potential));
        return halo::DeviceProperties().compute(exec_,
                                                {.particles = resident_,
                                                 .members = lists.view(),
                                                 .box = around_.box,
                                                 .centre = centre,
                                                 .potential = there.data(),
                                                 .gravitational_constant = around_.gravitational_constant});
    }

    std::vector<halo::OverdensitySphere> spheres_of(std::span<const halo::HaloProperties> rows,
                                                    std::span<const halo::DensityThreshold> thresholds) const
    {
        std::vector<Vec3> centre;
        std::vector<double> mass, density;
        for (const halo::HaloProperties& row : rows) {
            centre.push_back(row.centre);
            mass.push_back(row.mass);
        }
        for (const halo::DensityThreshold& threshold : thresholds) density.push_back(threshold.density);
        return halo::OverdensitySearch().spheres(exec_, {resident_, around_.box, centre, density, mass});
    }

    halo::Subhalos subhalos_of(const halo::Members& members) const
    {
        return halo::find_subhalos(pulling_host_.view(), members, subhalo_config(halos_, around_));
    }

private:
    Exec exec_;
    ParticlesView resident_;
    PullingParticles pulling_, pulling_host_;
    const HalosConfig& halos_;
    const HaloSurroundings& around_;
};

Table table_of_subhalos(const Particles& host, const halo::Subhalos& subhalos,
                        std::span<const halo::HaloProperties> rows,
                        std::span<const halo::HaloProperties> group_rows, double gravitational_constant)
{
    std::vector<halo::PerType> types;
    for (const halo::HaloProperties& row : group_rows) types.push_back(row.n_members_by_type);
    std::vector<std::uint64_t> most_bound(subhalos.size());
    for (std::size_t s = 0; s < subhalos.size(); ++s)
        if (const auto members = subhalos.members.of(s); !members.empty())
            most_bound[s] = host.id.host()[members[0]];
    return halo::subhalo_table({.rows = rows,
                                .subhalos = subhalos,
                                .types_of_groups = types,
                                .most_bound_id = most_bound,
                                .potentials = true,
                                .gravitational_constant = gravitational_constant});
}

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

FoundHalos describe_groups(const ResidentParticles& resident, const Particles& host,
                           const halo::Groups& groups, const HalosConfig& halos,
                           const HaloSurroundings& around)
{
    const double G = around.gravitational_constant;
    const halo::Members members = halo::members_of(groups);
    const std::vector<halo::DensityThreshold> thresholds = thresholds_of(halos, around.densities);
    const Describer describer(resident, host, halos, around);
    const std::vector<halo::HaloProperties> rows = describer.rows_of(members);
    const std::vector<halo::OverdensitySphere> spheres = describer.spheres_of(rows, thresholds);
    FoundHalos found;
    halo::Subhalos subhalos;
    if (halos.substructure) {
        subhalos = describer.subhalos_of(members);
        found.subhalos = table_of_subhalos(host, subhalos, describer.rows_of(subhalos.members), rows, G);
    }
    found.table = halo::group_table({.rows = rows,
                                     .thresholds = thresholds,
                                     .spheres = spheres,
                                     .potentials = true,
                                     .subhalos = halos.substructure ? &subhalos : nullptr,
                                     .gravitational_constant = G});
    const std::vector<Index> order = halo::member_order(groups, subhalos);
    found.sorted = host.gathered(order);
    found.labels.reserve(order.size());
    for (const Index i : order) found.labels.push_back(groups.label[i]);
    return found;
}

FoundHalos describe_groups(const Particles& host, const halo::Groups& groups, const HalosConfig& halos,
                           const HaloSurroundings& around)
{
    return describe_groups({{Backend::cpu}, host.reading_view()}, host, groups, halos, around);
}

}  // namespace aureole::run
