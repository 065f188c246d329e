#include "halo/centres/centres.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "halo/centres/candidates.hpp"
#include "halo/centres/centre_method.hpp"
#include "halo/centres/check_input.hpp"
#include "halo/centres/each_list.hpp"
#include "halo/centres/gpu/centre_search.hpp"
#include "halo/centres/poisson/poisson_grids.hpp"
#include "halo/needed_arrays.hpp"
#include "sim/core/shrinking_sphere/shrinking_sphere.hpp"

namespace aureole::halo {
namespace {

/// The centre of mass, of all members or of those in a shrinking sphere.
class CentreOfMass final : public CentreMethod {
public:
    explicit CentreOfMass(bool shrinking) : shrinking_(shrinking) {}

    void expect_possible(const CentreConfig&, const Box&) const override {}
    bool needs_velocities() const override { return false; }
    bool by_potential() const override { return false; }

    Centres find(const ListsOnHost& lists) const override
    {
        CentreList centres(lists);
        for_each_list<Bodies>(lists.members, shared_length, lists.progress, "centres of groups",
                              [&](std::size_t list, Bodies& bodies) {
                                  gather_bodies(lists.particles, lists.box, lists.members.of(list), bodies);
                                  const BodiesView view = bodies.view();
                                  centres.set_position(
                                      list, shrinking_ ? middle_of_sphere(view) : centre_of_mass(view));
                              });
        return std::move(centres.centres());
    }

    bool runs_on_gpu() const override { return true; }
    std::vector<centre_search::FoundCentre> find_on_gpu(const ListsOnGpu& lists) const override
    {
        if constexpr (with_cuda) return lists.search.centres_of_mass(lists.stream, lists.query, shrinking_);
        throw_not_built(Backend::cuda);
    }

private:
    static Vec3 middle_of_sphere(const BodiesView& bodies)
    {
        memory::CountedVector<Index> all(bodies.n);
        std::iota(all.begin(), all.end(), Index{0});
        const PointMasses points{
            {bodies.mass, bodies.n}, {bodies.x, bodies.n}, {bodies.y, bodies.n}, {bodies.z, bodies.n}};
        return shrinking_sphere(points, std::move(all)).centre;
    }

    bool shrinking_;
};

/// What a thread keeps from group to group.
struct CentreScratch {
    Bodies bodies;
    std::vector<double> kinetic;
    poisson::GridScratch grid;
    AllPairsScratch pairs;
};

/// Energy of motion per mass about the mean velocity, which is summed relative to the first member's.
void set_kinetic(const ConstParticlesView& p, std::span<const Index> members, CentreScratch& scratch)
{
    const Vec3 origin = p.velocity.load(members[0]);
    Vec3 momentum;
    double mass = 0;
    for (std::size_t k = 0; k < members.size(); ++k) {
        momentum = momentum + scratch.bodies.mass[k] * (p.velocity.load(members[k]) - origin);
        mass += scratch.bodies.mass[k];
    }
    const Vec3 mean = origin + (1 / mass) * momentum;
    scratch.kinetic.resize(members.size());
    for (std::size_t k = 0; k < members.size(); ++k) {
        const Vec3 v = p.velocity.load(members[k]) - mean;
        scratch.kinetic[k] = 0.5 * dot(v, v);
    }
}

/// The member of least potential, or of least energy; or of least potential near the minimum on a grid.
class MostBoundMember final : public CentreMethod {
public:
    explicit MostBoundMember(bool with_motion) : with_motion_(with_motion) {}
    explicit MostBoundMember(const PoissonConfig& on_grid) : on_grid_(on_grid) {}

    void expect_possible(const CentreConfig&, const Box&) const override
    {
        if (!on_grid_) return;
        AUREOLE_EXPECT(on_grid_->grid >= 2 && on_grid_->grid <= 1024,
                       "a grid of {} points per axis, expected 2 to 1024", on_grid_->grid);
        AUREOLE_EXPECT(on_grid_->search_radius > 0 && std::isfinite(on_grid_->search_radius),
                       "search radius of {} grid spacings, expected a positive number",
                       on_grid_->search_radius);
    }
    bool needs_velocities() const override { return with_motion_; }
    bool by_potential() const override { return true; }

    Centres find(const ListsOnHost& lists) const override
    {
        std::optional<poisson::PoissonGrids> grids;
        if (on_grid_) grids.emplace(Backend::cpu, static_cast<int>(on_grid_->grid), on_grid_->search_radius);
        CentreList centres(lists);
        for_each_list<CentreScratch>(lists.members, shared_length, lists.progress, "centres of groups",
                                     [&](std::size_t list, CentreScratch& scratch) {
                                         const std::span<const Index> members = lists.members.of(list);
                                         gather_bodies(lists.particles, lists.box, members, scratch.bodies);
                                         const MostBound best =
                                             most_bound(lists, members, grids ? &*grids : nullptr, scratch);
                                         centres.set_particle(list, members[best.body], best.energy);
                                     });
        return std::move(centres.centres());
    }

    bool runs_on_gpu() const override { return true; }
    std::vector<centre_search::FoundCentre> find_on_gpu(const ListsOnGpu& lists) const override
    {
        if constexpr (with_cuda) {
            centre_search::CentreQuery query = lists.query;
            query.with_motion = with_motion_ || on_grid_;  // a grid is searched in the memory of velocities
            centre_search::GridChoice grid;
            if (on_grid_)
                grid = {static_cast<int>(on_grid_->grid), on_grid_->search_radius, on_grid_->least_members};
            return lists.search.most_bound(lists.stream, query, grid, lists.potentials);
        }
        throw_not_built(Backend::cuda);
    }

private:
    /// From so many members on a walk of the tree is faster than all pairs on a CPU.
    static constexpr std::size_t default_tree_members = 5000;

    MostBound most_bound(const ListsOnHost& lists, std::span<const Index> members,
                         const poisson::PoissonGrids* grids, CentreScratch& scratch) const
    {
        const CentreConfig& config = lists.config;
        if (with_motion_) set_kinetic(lists.particles, members, scratch);
        const BoundQuery query{
            scratch.bodies, config.softening,
            with_motion_ ? std::span<const double>(scratch.kinetic) : std::span<const double>()};
        const bool by_tree =
            members.size() >= (config.tree_members > 0 ? config.tree_members : default_tree_members);
        if (grids && members.size() >= on_grid_->least_members) {
            const std::vector<Index> near = poisson::bodies_near(*grids, scratch.bodies.view(), scratch.grid);
            if (by_tree) return most_bound_by_tree(query, near);
            std::vector<Candidate> candidates;
            for (const Index body : near) candidates.push_back({body});
            return decide(query, candidates);
        }
        return by_tree ? most_bound_by_tree(query) : most_bound_by_all_pairs(query, scratch.pairs);
    }

    bool with_motion_ = false;
    std::optional<PoissonConfig> on_grid_;
};

template <class Method, bool is>
std::unique_ptr<CentreMethod> made(const PluginConfigs&)
{
    return std::make_unique<Method>(is);
}

CentrePlugin poisson_plugin()
{
    const auto make = [](const PluginConfigs& own) {
        return std::make_unique<MostBoundMember>(own.get<PoissonConfig>());
    };
    return {Centre::poisson.name, "least potential on a grid (Sewell et al. 2015)", make,
            plugin_settings<PoissonConfig>(
                {setting("grid", Quantity::number, &PoissonConfig::grid, "points a side of the grid",
                         Rule<std::uint32_t>{[](std::uint32_t n) { return n >= 3 && n <= 1023; },
                                             "a number of points from 3 to 1023"}),
                 setting("search_radius", Quantity::number, &PoissonConfig::search_radius,
                         "cells about the grid's minimum in which potentials are exact", positive()),
                 setting("least_members", Quantity::number, &PoissonConfig::least_members,
                         "smaller groups are searched by all pairs, which is exact and, for them, faster; 1: "
                         "all are searched on a grid",
                         at_least<std::uint32_t>(1)),
                 setting("checked_groups", Quantity::number, &PoissonConfig::checked_groups,
                         "of the groups searched on a grid so many are searched exactly too; the catalogue "
                         "tells in how many both agree. 0: none",
                         at_least<std::uint32_t>(0))})};
}

/// Velocities must be finite where energies of motion decide.
void expect_velocities(const ConstParticlesView& p, const Members& members)
{
    for (const Index i : members.particle) {
        const Vec3 v = p.velocity.load(i);
        AUREOLE_EXPECT(std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z),
                       "particle {} (id {}) has velocity ({}, {}, {}), expected finite numbers", i,
                       p.id_of(i), v.x, v.y, v.z);
    }
}

}  // namespace

Registry<CentrePlugin>& centre_methods()
{
    static Registry<CentrePlugin> registry(
        "centre",
        {{Centre::most_bound.name, "particle of least potential", made<MostBoundMember, false>},
         {Centre::most_bound_energy.name, "particle of least energy", made<MostBoundMember, true>},
         {Centre::most_connected.name, "particle with most friends",
          [](const PluginConfigs&) { return make_most_connected(); }},
         poisson_plugin(),
         {Centre::mass.name, "centre of mass", made<CentreOfMass, false>},
         {Centre::shrinking_sphere.name, "shrinking sphere (Power et al. 2003)", made<CentreOfMass, true>}});
    return registry;
}

std::unique_ptr<CentreMethod> make_centre_method(const CentreConfig& config)
{
    return centre_methods().at(config.method.name).make(config.own);
}

std::vector<centre_search::FoundCentre> HostCentreMethod::find_on_gpu(const ListsOnGpu&) const
{
    throw ArgumentError("this method finds no centres on a GPU, expected a call of find()");
}

CentreList::CentreList(const ListsOnHost& lists) : particles_(lists.particles), box_(lists.box)
{
    centres_.position.resize(lists.members.size());
    centres_.particle.assign(lists.members.size(), no_particle);
    centres_.value.assign(lists.members.size(), std::numeric_limits<double>::quiet_NaN());
}

void CentreList::set_particle(std::size_t list, Index particle, double value)
{
    centres_.particle[list] = particle;
    set_position(list, particles_.position.load(particle));
    centres_.value[list] = value;
}

Centres find_centres(const ConstParticlesView& host, const Members& members, const Box& box,
                     const CentreConfig& config, const Progress& progress)
{
    const std::unique_ptr<CentreMethod> method = make_centre_method(config);
    expect_usable(host, members, box);
    expect_sensible(config);
    method->expect_possible(config, box);
    if (method->needs_velocities()) {
        expect_arrays(host, Backend::cpu, "a centre by energy", {.mass = true, .velocity = true});
        expect_velocities(host, members);
    }
    for (std::size_t list = 0; list < members.size(); ++list)
        AUREOLE_EXPECT(members.size(list) > 0, "group {} has no members, expected one at least", list);
    Centres centres = method->find({host, members, box, config, progress});
    if (method->by_potential()) expect_finite_energies(centres, host);
    return centres;
}

double agreement(const Centres& a, const Centres& b)
{
    AUREOLE_EXPECT(a.particle.size() == b.particle.size(),
                   "centres of {} and {} groups, expected the same ones", a.particle.size(),
                   b.particle.size());
    if (a.particle.empty()) return 1;
    std::size_t same = 0;
    for (std::size_t k = 0; k < a.particle.size(); ++k) same += a.particle[k] == b.particle[k];
    return static_cast<double>(same) / static_cast<double>(a.particle.size());
}

}  // namespace aureole::halo
