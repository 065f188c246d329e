#include "halo/centres/centres.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "halo/centres/all_pairs.hpp"
#include "halo/centres/check_input.hpp"
#include "halo/centres/each_list.hpp"
#include "halo/centres/most_connected.hpp"
#include "halo/centres/poisson/poisson_grids.hpp"
#include "halo/centres/tree_search.hpp"
#include "halo/needed_arrays.hpp"
#include "sim/core/shrinking_sphere/shrinking_sphere.hpp"

namespace aureole::halo {
namespace {

/// What a thread keeps from group to group.
struct Scratch {
    Bodies bodies;
    std::vector<double> kinetic;
    poisson::GridScratch grid;
    AllPairsScratch pairs;
};

/// Energy of motion per mass about the mean velocity, which is summed relative to the first member's.
void set_kinetic(const ConstParticlesView& p, std::span<const Index> members, Scratch& scratch)
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

class Finder {
public:
    Finder(const ConstParticlesView& host, const Members& members, const Box& box, const CentreConfig& config,
           const Progress& progress)
        : host_(host), members_(members), box_(box), config_(config), progress_(progress)
    {
        if (config.method == Centre::poisson) grids_.emplace(Backend::cpu, config.grid, config.search_radius);
        centres_.position.resize(members.size());
        centres_.particle.assign(members.size(), no_particle);
        centres_.value.assign(members.size(), std::numeric_limits<double>::quiet_NaN());
    }

    Centres find()
    {
        if (config_.method == Centre::most_connected) {
            find_most_connected();
        } else {
            for_each_list<Scratch>(members_, shared_length, progress_, "centres of groups",
                                   [this](std::size_t list, Scratch& scratch) {
                                       gather_bodies(host_, box_, members_.of(list), scratch.bodies);
                                       set_centre(list, scratch);
                                   });
        }
        return std::move(centres_);
    }

private:
    /// From here on all threads work on one group; below, waiting for each other costs more than it gives.
    static constexpr std::size_t shared_length = 20000;
    /// Above, a walk of the tree is faster than all pairs on a CPU.
    static constexpr std::size_t default_tree_members = 5000;

    void set_centre(std::size_t list, Scratch& scratch)
    {
        const BodiesView bodies = scratch.bodies.view();
        if (config_.method == Centre::mass) {
            centres_.position[list] = box_.wrap(centre_of_mass(bodies));
        } else if (config_.method == Centre::shrinking_sphere) {
            memory::CountedVector<Index> all(bodies.n);
            std::iota(all.begin(), all.end(), Index{0});
            const PointMasses points{
                {bodies.mass, bodies.n}, {bodies.x, bodies.n}, {bodies.y, bodies.n}, {bodies.z, bodies.n}};
            centres_.position[list] = box_.wrap(shrinking_sphere(points, std::move(all)).centre);
        } else {
            const MostBound best = most_bound(members_.of(list), scratch);
            set_particle(list, members_.of(list)[best.body], best.energy);
        }
    }

    MostBound most_bound(std::span<const Index> members, Scratch& scratch) const
    {
        const bool with_motion = config_.method == Centre::most_bound_energy;
        if (with_motion) set_kinetic(host_, members, scratch);
        const BoundQuery query{
            scratch.bodies, config_.softening,
            with_motion ? std::span<const double>(scratch.kinetic) : std::span<const double>()};
        const bool by_tree = members.size() >= tree_members_;
        if (grids_ && members.size() >= config_.least_for_grid) {
            const std::vector<Index> near =
                poisson::bodies_near(*grids_, scratch.bodies.view(), scratch.grid);
            if (by_tree) return most_bound_by_tree(query, near);
            std::vector<Candidate> candidates;
            for (const Index body : near) candidates.push_back({body});
            return decide(query, candidates);
        }
        return by_tree ? most_bound_by_tree(query) : most_bound_by_all_pairs(query, scratch.pairs);
    }

    void set_particle(std::size_t list, Index particle, double value)
    {
        centres_.particle[list] = particle;
        centres_.position[list] = box_.wrap(host_.position.load(particle));
        centres_.value[list] = value;
    }

    void find_most_connected()
    {
        std::vector<Index> friends(members_.particle.size());
        struct Nothing {};
        for_each_list<Nothing>(members_, shared_length, [&](std::size_t list, Nothing&) {
            const std::vector<Index> counts =
                friend_counts(host_, box_, members_.of(list), config_.linking_length);
            std::copy(counts.begin(), counts.end(),
                      friends.begin() + static_cast<std::ptrdiff_t>(members_.begin[list]));
        });
        for (std::size_t list = 0; list < members_.size(); ++list) add_most_connected(list, friends);
    }

    void add_most_connected(std::size_t list, const std::vector<Index>& friends)
    {
        const std::span<const Index> own = members_.of(list);
        const std::span<const Index> counts = std::span(friends).subspan(members_.begin[list], own.size());
        const Index most = *std::max_element(counts.begin(), counts.end());
        Index best = no_particle;
        for (std::size_t k = 0; k < own.size(); ++k) {
            if (counts[k] != most) continue;
            centres_.ties.particle.push_back(own[k]);
            if (best == no_particle || host_.id_of(own[k]) < host_.id_of(best)) best = own[k];
        }
        centres_.ties.begin.push_back(centres_.ties.particle.size());
        set_particle(list, best, most);
    }

    const ConstParticlesView& host_;
    const Members& members_;
    Box box_;
    const CentreConfig& config_;
    const std::size_t tree_members_ = config_.tree_members > 0 ? config_.tree_members : default_tree_members;
    std::optional<poisson::PoissonGrids> grids_;
    const Progress& progress_;
    Centres centres_;
};

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

Centres find_centres(const ConstParticlesView& host, const Members& members, const Box& box,
                     const CentreConfig& config, const Progress& progress)
{
    expect_usable(host, members, box);
    expect_sensible(config, box);
    if (config.method == Centre::most_bound_energy) {
        expect_arrays(host, Backend::cpu, "a centre by energy", {.mass = true, .velocity = true});
        expect_velocities(host, members);
    }
    for (std::size_t list = 0; list < members.size(); ++list)
        AUREOLE_EXPECT(members.size(list) > 0, "group {} has no members, expected one at least", list);
    Centres centres = Finder(host, members, box, config, progress).find();
    expect_finite_energies(centres, host);
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
