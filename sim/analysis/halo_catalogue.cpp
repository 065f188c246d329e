#include "sim/analysis/halo_catalogue.hpp"

#include <cmath>

#include "halo/catalogue/halo_tables.hpp"
#include "halo/catalogue/member_order.hpp"
#include "halo/centres/centres.hpp"
#include "halo/device_members.hpp"
#include "halo/properties/device_properties.hpp"
#include "halo/substructure/substructure.hpp"
#include "sim/analysis/centre_columns.hpp"
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

/// A read-only view of particles with their masses multiplied by G, so that code for G = 1 gives potentials
/// in squared velocities.
class ScaledMasses {
public:
    /// `view` is of the same particles as `host`.
    ScaledMasses(const ParticlesView& view, const Particles& host, double gravitational_constant)
        : view_(view)
    {
        if (gravitational_constant == 1) return;
        std::vector<double> mass(host.mass.host().begin(), host.mass.host().end());
        for (double& m : mass) m *= gravitational_constant;
        mass_ = Buffer<double>(view.where, std::span<const double>(mass));
        view_.mass = mass_.data();
    }
    ScaledMasses(const ScaledMasses&) = delete;
    ScaledMasses& operator=(const ScaledMasses&) = delete;

    const ParticlesView& view() const { return view_; }

private:
    Buffer<double> mass_;
    ParticlesView view_;
};

halo::CentreConfig centre_config(const HalosConfig& halos, const HaloContext& context)
{
    halo::CentreConfig config;
    config.method = halos.centre;
    config.softening = context.softening;
    config.linking_length = context.linking_length;
    config.grid = static_cast<int>(halos.poisson_grid);
    config.search_radius = halos.poisson_search_radius;
    config.least_for_grid = halos.poisson_least_members;
    return config;
}

halo::SubhaloConfig subhalo_config(const HalosConfig& halos, const HaloContext& context)
{
    halo::SubhaloConfig config;
    config.min_members = halos.subhalo_min_members;
    config.box = context.box;
    config.gravity = halo_gravity(context.softening);
    const double reach =
        context.gravitational_constant * halo::density_threshold("200c", context.densities).density;
    if (std::isfinite(reach)) config.reach_density = reach;
    return config;
}

/// Computes the properties of groups and subhalos.
class PropertyComputation {
public:
    PropertyComputation(const DeviceParticles& device_particles, const Particles& host,
                        const HalosConfig& halos, const HaloContext& context, const Progress& progress)
        : exec_(device_particles.exec),
          device_view_(device_particles.view),
          scaled_(device_particles.view, host, context.gravitational_constant),
          scaled_host_(host.reading_view(), host, context.gravitational_constant),
          halos_(halos),
          context_(context),
          stop_{{}, progress.stop}
    {
    }

    halo::Centres centres_of(const halo::Members& members) const
    {
        const halo::DeviceMembers lists(exec_.backend, members);
        return halo::find_centres(exec_, scaled_.view(), lists.view(), context_.box,
                                  centre_config(halos_, context_), stop_);
    }

    /// What the catalogue tells of how the centres were found.
    void add_centre_columns(Table& groups, const halo::Members& members, const halo::Centres& centres) const
    {
        if (halos_.centre == halo::Centre::most_connected) add_ties(groups, centres);
        if (halos_.centre == halo::Centre::poisson)
            add_exactness(groups, exec_, scaled_.view(), members, context_.box,
                          centre_config(halos_, context_), centres,
                          {halos_.poisson_least_members, halos_.poisson_checked_groups}, stop_);
    }

    /// Properties of the given lists of particles about these centres, with energies.
    std::vector<halo::HaloProperties> rows_of(const halo::Members& members,
                                              const std::vector<Vec3>& centre) const
    {
        const halo::DeviceMembers lists(exec_.backend, members);
        const std::vector<double> potential =
            member_potentials(scaled_host_.view(), members, context_.softening, context_.box, stop_);
        stop_.at(0, "properties of groups");
        const Buffer<double> there(exec_.backend, std::span(potential));
        return halo::DeviceProperties().compute(exec_,
                                                {.particles = device_view_,
                                                 .members = lists.view(),
                                                 .box = context_.box,
                                                 .centre = centre,
                                                 .potential = there.data(),
                                                 .gravitational_constant = context_.gravitational_constant});
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
        return halo::OverdensitySearch().spheres(
            exec_, {device_view_, context_.box, centre, density, mass, halos_.overdensity_crossing}, stop_);
    }

    halo::Subhalos subhalos_of(const halo::Members& members) const
    {
        return halo::find_subhalos(scaled_host_.view(), members, subhalo_config(halos_, context_), stop_);
    }

private:
    Exec exec_;
    ParticlesView device_view_;
    ScaledMasses scaled_, scaled_host_;
    const HalosConfig& halos_;
    const HaloContext& context_;
    Progress stop_;  ///< without reports: how the work divides is not known
};

Table table_of_subhalos(const Particles& host, const halo::SubhaloSphereQuery& query,
                        std::span<const halo::HaloProperties> group_rows, double gravitational_constant,
                        const Progress& progress)
{
    std::vector<halo::PerType> types;
    for (const halo::HaloProperties& row : group_rows) types.push_back(row.n_members_by_type);
    const halo::Subhalos& subhalos = query.subhalos;
    std::vector<std::uint64_t> most_bound(subhalos.size());
    for (std::size_t s = 0; s < subhalos.size(); ++s)
        if (const auto members = subhalos.members.of(s); !members.empty())
            most_bound[s] = host.id.host()[members[0]];
    const halo::SubhaloSpheres spheres = halo::subhalo_spheres(query, progress);
    return halo::subhalo_table({.rows = query.rows,
                                .subhalos = subhalos,
                                .types_of_groups = types,
                                .most_bound_id = most_bound,
                                .thresholds = query.thresholds,
                                .spheres = spheres,
                                .potentials = true,
                                .gravitational_constant = gravitational_constant});
}

}  // namespace

HaloContext halo_context(const io::SnapshotHeader& header, const UnitSystem& units, const HalosConfig& halos)
{
    HaloContext context;
    const double g = units.gravitational_constant();
    const double a = header.comoving ? 1 / (1 + header.redshift) : 1;
    context.gravitational_constant = g / std::pow(a, 1 + 2 * header.velocity_a_exponent);
    context.velocity_factor = std::pow(a, header.velocity_a_exponent);
    if (halos.reference_density) {
        context.densities = halo::reference_densities(*halos.reference_density);
    } else if (header.omega0 > 0) {
        const halo::Cosmology cosmology{.omega_m = header.omega0,
                                        .omega_lambda = header.omega_lambda,
                                        .hubble = hubble_constant(header, units),
                                        .scale_factor = a,
                                        .comoving = header.comoving};
        context.densities = halo::reference_densities(cosmology, g);
    }
    return context;
}

void scale_velocities(Table& table, double factor)
{
    if (factor == 1) return;
    for (Column& column : table.columns) {
        auto* const numbers = std::get_if<std::vector<double>>(&column.values);
        if (!numbers || column.dimension.velocity == 0) continue;
        const double scale = std::pow(factor, column.dimension.velocity);
        for (double& x : *numbers) x *= scale;
    }
}

std::vector<halo::DensityThreshold> overdensity_thresholds(const HalosConfig& halos,
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
                fmt::format("halos.overdensities: found {}, expected a density to multiply: there is no "
                            "cosmology here; halos.reference_density (find --reference-density) gives one",
                            name));
    }
    return thresholds;
}

HaloCatalogue make_halo_catalogue(const DeviceParticles& device_particles, const Particles& host,
                                  const halo::Groups& groups, const HalosConfig& halos,
                                  const HaloContext& context, bool with_particles, const Progress& progress)
{
    const double G = context.gravitational_constant;
    const halo::Members members = halo::members_of(groups);
    const std::vector<halo::DensityThreshold> thresholds = overdensity_thresholds(halos, context.densities);
    const PropertyComputation computation(device_particles, host, halos, context, progress);
    const halo::Centres centres = computation.centres_of(members);
    const std::vector<halo::HaloProperties> rows = computation.rows_of(members, centres.position);
    const std::vector<halo::OverdensitySphere> spheres = computation.spheres_of(rows, thresholds);
    HaloCatalogue found;
    halo::Subhalos subhalos;
    if (halos.substructure) {
        subhalos = computation.subhalos_of(members);
        found.subhalos = table_of_subhalos(
            host,
            {.particles = host.reading_view(),
             .subhalos = subhalos,
             .rows = computation.rows_of(subhalos.members, computation.centres_of(subhalos.members).position),
             .thresholds = thresholds,
             .box = context.box,
             .crossing = halos.overdensity_crossing},
            rows, G, {{}, progress.stop});
    }
    found.table = halo::group_table({.rows = rows,
                                     .thresholds = thresholds,
                                     .spheres = spheres,
                                     .potentials = true,
                                     .subhalos = halos.substructure ? &subhalos : nullptr,
                                     .gravitational_constant = G});
    computation.add_centre_columns(found.table, members, centres);
    scale_velocities(found.table, context.velocity_factor);
    if (found.subhalos) scale_velocities(*found.subhalos, context.velocity_factor);
    found.order = halo::member_order(groups, subhalos);
    if (!with_particles) return found;
    found.sorted = host.gathered(found.order);
    found.labels.reserve(found.order.size());
    for (const Index i : found.order) found.labels.push_back(groups.label[i]);
    return found;
}

HaloCatalogue make_halo_catalogue(const Particles& host, const halo::Groups& groups, const HalosConfig& halos,
                                  const HaloContext& context, bool with_particles, const Progress& progress)
{
    return make_halo_catalogue({{Backend::cpu}, host.reading_view()}, host, groups, halos, context,
                               with_particles, progress);
}

}  // namespace aureole::run
