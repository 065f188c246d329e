#include "halo/catalogue/group_catalogue.hpp"

#include <chrono>

#include "halo/catalogue/halo_tables.hpp"
#include "halo/device_members.hpp"
#include "halo/properties/device_properties.hpp"
#include "sim/core/device.hpp"

namespace aureole::halo {

struct CatalogueScratch {
    FriendsOfFriends finder;
    DeviceMembers members;
    CentreFinder centres;
    DeviceProperties properties;
    OverdensitySearch overdensities;
    GroupsView groups;
    CatalogueTimes times;
};

namespace {

/// The result of a part; its seconds, with the backend's work, become `seconds`.
template <class Part>
auto timed(Exec exec, double& seconds, Part part)
{
    const auto start = std::chrono::steady_clock::now();
    auto result = part();
    if (exec.backend == Backend::cuda) device::synchronize();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

std::vector<OverdensitySphere> spheres_of(Exec exec, const ConstParticlesView& particles,
                                          const CatalogueQuery& query,
                                          const std::vector<HaloProperties>& rows, OverdensitySearch& search)
{
    std::vector<double> mass, density;
    std::vector<Vec3> centre;
    for (const HaloProperties& row : rows) {
        mass.push_back(row.mass);
        centre.push_back(row.centre);
    }
    for (const DensityThreshold& threshold : query.thresholds) density.push_back(threshold.density);
    return search.spheres(exec, {particles, query.groups.box, centre, density, mass, query.crossing});
}

}  // namespace

GroupCatalogue::GroupCatalogue() : scratch_(std::make_unique<CatalogueScratch>()) {}
GroupCatalogue::~GroupCatalogue() = default;

Table GroupCatalogue::find(Exec exec, const ConstParticlesView& particles, const CatalogueQuery& query)
{
    CatalogueScratch& s = *scratch_;
    CatalogueTimes& t = s.times;
    const Box& box = query.groups.box;
    const double G = query.gravitational_constant;
    s.groups = timed(exec, t.labels, [&] { return s.finder.find_on_device(exec, particles, query.groups); });
    const MembersView members = timed(exec, t.lists, [&] {
        s.members.fill(exec, s.groups);
        return s.members.view();
    });
    const Centres centres =
        timed(exec, t.centres, [&] { return s.centres.find(exec, particles, members, box, query.centre); });
    const std::vector<HaloProperties>& rows = *timed(exec, t.properties, [&] {
        return &s.properties.compute(exec, {.particles = particles,
                                            .members = members,
                                            .box = box,
                                            .centre = centres.position,
                                            .gravitational_constant = G});
    });
    const std::vector<OverdensitySphere> spheres = timed(
        exec, t.overdensities, [&] { return spheres_of(exec, particles, query, rows, s.overdensities); });
    return timed(exec, t.table, [&] {
        return group_table(
            {.rows = rows, .thresholds = query.thresholds, .spheres = spheres, .gravitational_constant = G});
    });
}

const GroupsView& GroupCatalogue::groups() const { return scratch_->groups; }
const CatalogueTimes& GroupCatalogue::times() const { return scratch_->times; }

}  // namespace aureole::halo
