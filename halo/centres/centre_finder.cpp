#include <algorithm>
#include <cmath>
#include <limits>

#include "halo/centres/centres.hpp"
#include "halo/centres/check_input.hpp"
#include "halo/centres/gpu/centre_search.hpp"
#include "halo/centres/host_copy.hpp"
#include "halo/needed_arrays.hpp"

namespace aureole::halo {

struct CentreScratch {
    centre_search::CentreSearch search;
    CentreTimes times;

    std::vector<centre_search::FoundCentre> found_on_gpu(Exec exec, const centre_search::CentreQuery& query,
                                                         const CentreConfig& config, Members& ties)
    {
        if constexpr (with_cuda) {
            const bool shrinking = config.method == Centre::shrinking_sphere;
            if (config.method == Centre::mass || shrinking)
                return search.centres_of_mass(exec.stream, query, shrinking);
            if (config.method == Centre::most_connected)
                return search.most_connected(exec.stream, query, config.linking_length, ties);
            return search.most_bound(exec.stream, query);
        }
        throw_not_built(exec.backend);
    }
};

namespace {

/// Above, a walk of the tree is faster than all pairs on a GPU.
constexpr std::size_t default_tree_members = 1024;

Centres on_host(Backend where, const ConstParticlesView& particles, const MembersView& members,
                const Box& box, const CentreConfig& config, const Progress& progress)
{
    const Particles host = host_particles(particles);
    return find_centres(host.view(), host_members(where, members), box, config, progress);
}

centre_search::CentreQuery query_of(const ConstParticlesView& particles, const MembersView& members,
                                    const Box& box, const CentreConfig& config)
{
    const std::size_t by_tree = config.tree_members > 0 ? config.tree_members : default_tree_members;
    return {particles,
            members,
            box,
            config.softening,
            config.method == Centre::most_bound_energy,
            config.method == Centre::most_connected,
            static_cast<Index>(std::min<std::size_t>(by_tree, std::numeric_limits<Index>::max()))};
}

Centres centres_of(const std::vector<centre_search::FoundCentre>& found)
{
    Centres centres;
    for (const centre_search::FoundCentre& f : found) {
        centres.position.push_back(f.position);
        centres.particle.push_back(f.particle);
        centres.value.push_back(f.value);
    }
    return centres;
}

void set_times(const centre_search::SearchTimes& from, CentreTimes& to)
{
    to = {from.gather, from.order, from.walk, from.decide, from.candidates};
}

}  // namespace

CentreFinder::CentreFinder() : scratch_(std::make_unique<CentreScratch>()) {}
CentreFinder::~CentreFinder() = default;

Centres CentreFinder::find(Exec exec, const ConstParticlesView& particles, const MembersView& members,
                           const Box& box, const CentreConfig& config, const Progress& progress)
{
    expect_there(exec, particles, members);
    if (exec.backend == Backend::cpu)
        return find_centres(particles, host_members(Backend::cpu, members), box, config, progress);
    if (members.n_members == 0 || config.method == Centre::poisson)
        return on_host(exec.backend, particles, members, box, config, progress);
    expect_sensible(config, box);
    if (config.method == Centre::most_bound_energy)
        expect_arrays(particles, exec.backend, "a centre by energy", {.mass = true, .velocity = true});
    progress.at(0, "centres of groups");
    const centre_search::CentreQuery query = query_of(particles, members, box, config);
    Members ties;
    const auto found = scratch_->found_on_gpu(exec, query, config, ties);
    set_times(scratch_->search.times(), scratch_->times);
    if (found.empty())
        on_host(exec.backend, particles, members, box, config, progress);  // throws, with the reason
    AUREOLE_EXPECT(found.size() == members.n_lists, "{} centres of {} groups", found.size(), members.n_lists);
    Centres centres = centres_of(found);
    const bool by_energy = config.method == Centre::most_bound || config.method == Centre::most_bound_energy;
    if (by_energy && !std::ranges::all_of(centres.value, [](double energy) { return std::isfinite(energy); }))
        return on_host(exec.backend, particles, members, box, config, progress);  // throws, with the reason
    centres.ties = std::move(ties);
    return centres;
}

const CentreTimes& CentreFinder::times() const { return scratch_->times; }

Centres find_centres(Exec exec, const ConstParticlesView& particles, const MembersView& members,
                     const Box& box, const CentreConfig& config, const Progress& progress)
{
    return CentreFinder().find(exec, particles, members, box, config, progress);
}

}  // namespace aureole::halo
