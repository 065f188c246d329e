#include "halo/catalogue/group_catalogue.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <optional>
#include <utility>

#include "halo/catalogue/catalogue_loops.hpp"
#include "halo/device_members.hpp"
#include "halo/needed_arrays.hpp"
#include "halo/properties/device_properties.hpp"
#include "sim/core/device.hpp"
#include "sim/core/error.hpp"
#include "sim/core/memory/pages.hpp"

namespace aureole::halo {

struct CatalogueScratch {
    DeviceMembers members;
    std::optional<CentreFinder> centre_finder{std::in_place};
    std::optional<DeviceProperties> properties{std::in_place};
    OverdensitySearch overdensities;
    Buffer<double> mass, potential;

    ListRows found;
    std::vector<DensityThreshold> thresholds;
    std::vector<OverdensitySphere> spheres;
    std::optional<TableBuilder> columns;  ///< of the table, when that is not taken yet
    double gravitational_constant = 1;
    CatalogueTimes times;
    std::future<void> pages;  ///< of `found.rows` and `spheres`, which another thread takes; the last member
};

namespace {

/// The parts for more members give their memory back; on a CPU all do, where it is soon taken again.
constexpr std::uint64_t many_members = std::uint64_t{1} << 25;

bool keeps_memory(Exec exec, std::uint64_t n) { return exec.backend != Backend::cpu && n <= many_members; }

/// Adds the seconds of its life, with the backend's work, to a sum.
class Lap {
public:
    Lap(Exec exec, double& seconds) : exec_(exec), seconds_(seconds) {}
    ~Lap() noexcept(false)
    {
        if (exec_.backend == Backend::cuda && std::uncaught_exceptions() == 0) device::synchronize();
        seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }
    Lap(const Lap&) = delete;
    Lap& operator=(const Lap&) = delete;

private:
    Exec exec_;
    double& seconds_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The particles with masses multiplied by G, so that code for G = 1 gives potentials in squared velocities.
ConstParticlesView with_scaled_masses(Exec exec, const ConstParticlesView& particles,
                                      double gravitational_constant, Buffer<double>& mass)
{
    if (gravitational_constant == 1 || particles.n == 0) return particles;
    expect_arrays(particles, exec.backend, "a catalogue", {.mass = true, .velocity = true});
    mass.require(exec.backend, particles.n);
    scale(exec, particles.n, particles.mass, gravitational_constant, mass.data());
    ConstParticlesView scaled = particles;
    scaled.mass = mass.data();
    return scaled;
}

/// `spheres`: of the size that they need.
void find_spheres(Exec exec, const ConstParticlesView& particles, const CatalogueQuery& query,
                  std::span<const HaloProperties> rows, OverdensitySearch& search, const Progress& progress,
                  std::span<OverdensitySphere> spheres)
{
    std::vector<double> mass(rows.size()), density;
    std::vector<Vec3> centre(rows.size());
#pragma omp parallel for if (rows.size() > parallel_threshold)
    for (std::size_t r = 0; r < rows.size(); ++r) {
        mass[r] = rows[r].mass;
        centre[r] = rows[r].centre;
    }
    for (const DensityThreshold& threshold : query.thresholds) density.push_back(threshold.density);
    search.spheres(exec, {particles, query.box, centre, density, mass, query.crossing}, spheres, progress);
}

template <class T>
void resize_touched(std::vector<T>& values, std::size_t n)
{
    if (values.capacity() < n) {
        values.clear();
        values.reserve(n);
        memory::touch_pages(values.data(), n * sizeof(T));
    }
    values.resize(n);
}

/// Another thread takes the memory of what the host will get, of which the system hands out fresh pages,
/// while the GPU finds centres.
void take_pages(Exec exec, CatalogueScratch& s)
{
    const std::size_t n = s.members.view().n_lists;
    if (exec.backend == Backend::cpu || n < parallel_threshold) return;
    s.pages = std::async(std::launch::async, [&s, n] {
        resize_touched(s.found.rows, n);
        resize_touched(s.spheres, n * s.thresholds.size());
    });
}

/// Centres and rows of lists, in the memory of `result` where it suffices: the system takes longer to hand
/// out fresh pages for the rows of many groups than the GPU to compute them. With the times of the three
/// parts.
void compute_rows(Exec exec, const ConstParticlesView& particles, const MembersView& members,
                  const CatalogueQuery& query, CatalogueScratch& s, const Progress& progress,
                  ListRows& result)
{
    s.potential.require(exec.backend, std::max<std::uint64_t>(1, members.n_members));
    {
        const Lap lap(exec, s.times.centres);
        const ConstParticlesView scaled =
            with_scaled_masses(exec, particles, query.gravitational_constant, s.mass);
        result.centres = s.centre_finder->find(exec, scaled, members, query.box, query.centre, progress,
                                               {s.potential.data(), query.tree_members});
    }
    const double potentials = s.centre_finder->times().potentials;
    s.times.centres -= potentials;
    s.times.potentials += potentials;
    const bool keeps = keeps_memory(exec, members.n_members);
    if (!keeps) s.centre_finder.emplace();
    if (exec.backend == Backend::cpu) s.mass = {};
    progress.at(0, "properties of groups");
    const Lap lap(exec, s.times.properties);
    if (s.pages.valid()) s.pages.get();
    s.properties->compute(exec,
                          {.particles = particles,
                           .members = members,
                           .box = query.box,
                           .centre = result.centres.position,
                           .potential = s.potential.data(),
                           .gravitational_constant = query.gravitational_constant},
                          result.rows);
    if (!keeps) s.properties.emplace();
    if (exec.backend == Backend::cpu) s.potential = {};
}

}  // namespace

std::string text_of(const CatalogueTimes& t)
{
    return fmt::format(
        "labels {:.1f} ms, lists {:.1f} ms, centres {:.1f} ms, potentials {:.1f} ms, properties {:.1f} ms, "
        "overdensities {:.1f} ms, table {:.1f} ms{}: {:.1f} ms",
        1e3 * t.labels, 1e3 * t.lists, 1e3 * t.centres, 1e3 * t.potentials, 1e3 * t.properties,
        1e3 * t.overdensities, 1e3 * t.table,
        t.substructure > 0 ? fmt::format(", substructure {:.1f} ms", 1e3 * t.substructure) : "",
        1e3 * t.sum());
}

GroupCatalogue::GroupCatalogue() : scratch_(std::make_unique<CatalogueScratch>()) {}
GroupCatalogue::~GroupCatalogue() = default;

GroupsView GroupCatalogue::find(Exec exec, const ConstParticlesView& particles, Finder& finder,
                                const Progress& progress)
{
    scratch_->times = {};
    const Lap lap(exec, scratch_->times.labels);
    return finder.find_on_device(exec, particles, progress);
}

void GroupCatalogue::compute(Exec exec, const ConstParticlesView& particles, const GroupsView& groups,
                             const CatalogueQuery& query, const Progress& progress)
{
    CatalogueScratch& s = *scratch_;
    s.pages = {};  // an exception may have left it at work
    s.times = {.labels = s.times.labels};
    s.gravitational_constant = query.gravitational_constant;
    s.thresholds.assign(query.thresholds.begin(), query.thresholds.end());
    {
        const Lap lap(exec, s.times.lists);
        s.members.fill(exec, groups);
    }
    take_pages(exec, s);
    compute_rows(exec, particles, s.members.view(), query, s, progress, s.found);
    const Lap lap(exec, s.times.overdensities);
    s.spheres.resize(s.found.rows.size() * s.thresholds.size());
    const auto begin_table = [&s] {
        s.columns = group_table_builder({.rows = s.found.rows,
                                         .thresholds = s.thresholds,
                                         .spheres = s.spheres,
                                         .potentials = true,
                                         .gravitational_constant = s.gravitational_constant});
    };
    std::future<void> columns;  // another thread fills what needs no spheres while the GPU finds them
    if (exec.backend == Backend::cuda && !s.thresholds.empty())
        columns = std::async(std::launch::async, [&s, begin_table] {
            begin_table();
            s.columns->fill_early();
        });
    else
        begin_table();
    find_spheres(exec, particles, query, s.found.rows, s.overdensities, progress, s.spheres);
    if (columns.valid()) columns.get();
    if (!keeps_memory(exec, particles.n)) s.overdensities = {};
}

Table GroupCatalogue::table(const Subhalos* subhalos)
{
    CatalogueScratch& s = *scratch_;
    const Lap lap({}, s.times.table);
    AUREOLE_EXPECT(s.columns, "the table of what was computed is taken once");
    return group_table(*std::exchange(s.columns, std::nullopt), subhalos, s.found.rows.size());
}

ListRows GroupCatalogue::rows_of(Exec exec, const ConstParticlesView& particles, const MembersView& members,
                                 const CatalogueQuery& query, const Progress& progress)
{
    const CatalogueTimes before = scratch_->times;
    ListRows result;
    compute_rows(exec, particles, members, query, *scratch_, progress, result);
    scratch_->times = before;
    return result;
}

Centres GroupCatalogue::centres_of(Exec exec, const ConstParticlesView& particles, const MembersView& members,
                                   const CatalogueQuery& query, const Progress& progress)
{
    CatalogueScratch& s = *scratch_;
    const ConstParticlesView scaled =
        with_scaled_masses(exec, particles, query.gravitational_constant, s.mass);
    Centres centres = s.centre_finder->find(exec, scaled, members, query.box, query.centre, progress);
    if (exec.backend == Backend::cpu) s.mass = {};
    return centres;
}

MembersView GroupCatalogue::members() const { return scratch_->members.view(); }
const Centres& GroupCatalogue::centres() const { return scratch_->found.centres; }
std::span<const HaloProperties> GroupCatalogue::rows() const { return scratch_->found.rows; }
const CatalogueTimes& GroupCatalogue::times() const { return scratch_->times; }

std::size_t GroupCatalogue::scratch_bytes(std::size_t n)
{
    constexpr std::size_t lists = 60, centres = 170, properties = 160, overdensities = 104;
    return n * (n > many_members ? lists + std::max(centres, properties)
                                 : lists + centres + properties + overdensities);
}

}  // namespace aureole::halo
