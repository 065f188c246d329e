#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "halo/centres/centre_method.hpp"
#include "halo/centres/check_input.hpp"
#include "halo/centres/gpu/centre_search.hpp"
#include "halo/needed_arrays.hpp"

namespace aureole::halo {

namespace {

/// What one search is asked.
struct Request {
    const ConstParticlesView& particles;
    const MembersView& members;
    const Box& box;
    const CentreConfig& config;
    const Progress& progress;
    const PotentialOutput& potentials;
};

}  // namespace

struct CentreScratch {
    centre_search::CentreSearch search;
    CentreTimes times;

    Centres centres(Exec exec, const Request& request);
    void add_potentials(Exec exec, const Request& request);
};

namespace {

/// From here on a walk of the tree is faster than all pairs in double on a GPU.
constexpr std::size_t default_tree_members = 4096;

Centres on_host(Backend where, const Request& r)
{
    const Particles host = host_particles(r.particles);
    return find_centres(host.view(), host_members(where, r.members), r.box, r.config, r.progress);
}

/// Settings are judged all the same; the particles stay where they are.
Centres of_no_lists(const Request& r)
{
    const Particles none(Backend::cpu, 0);
    return find_centres(none.view(), Members{}, r.box, r.config, r.progress);
}

centre_search::CentreQuery query_of(const Request& request)
{
    const CentreConfig& config = request.config;
    const std::size_t by_tree = config.tree_members > 0 ? config.tree_members : default_tree_members;
    return {request.particles,
            request.members,
            request.box,
            config.softening,
            false,
            false,
            static_cast<Index>(std::min<std::size_t>(by_tree, std::numeric_limits<Index>::max()))};
}

Centres centres_of(const std::vector<centre_search::FoundCentre>& found)
{
    Centres centres;
    centres.position.resize(found.size());
    centres.particle.resize(found.size());
    centres.value.resize(found.size());
#pragma omp parallel for if (found.size() > parallel_threshold)
    for (std::size_t k = 0; k < found.size(); ++k) {
        centres.position[k] = found[k].position;
        centres.particle[k] = found[k].particle;
        centres.value[k] = found[k].value;
    }
    return centres;
}

CentreTimes times_of(const centre_search::SearchTimes& t)
{
    return {.gather = t.gather,
            .order = t.order,
            .grid = t.grid,
            .walk = t.walk,
            .decide = t.decide,
            .potentials = t.potentials,
            .candidates = t.candidates};
}

}  // namespace

Centres CentreScratch::centres(Exec exec, const Request& r)
{
    if (exec.backend == Backend::cpu)
        return find_centres(r.particles, host_members(Backend::cpu, r.members), r.box, r.config, r.progress);
    const std::unique_ptr<CentreMethod> method = make_centre_method(r.config);
    if (method->needs_velocities())
        expect_arrays(r.particles, exec.backend, "a centre by energy", {.mass = true, .velocity = true});
    if (r.members.n_lists == 0) return of_no_lists(r);
    if (r.members.n_members == 0 || !method->runs_on_gpu()) return on_host(exec.backend, r);
    expect_sensible(r.config);
    method->expect_possible(r.config, r.box);
    r.progress.at(0, "centres of groups");
    Members ties;
    const auto found = method->find_on_gpu({search, exec.stream, query_of(r), r.config, r.potentials, ties});
    times = times_of(search.times());
    if (found.empty()) on_host(exec.backend, r);  // throws, with the reason
    AUREOLE_EXPECT(found.size() == r.members.n_lists, "{} centres of {} groups", found.size(),
                   r.members.n_lists);
    Centres centres = centres_of(found);
    if (method->by_potential() &&
        !std::ranges::all_of(centres.value, [](double energy) { return std::isfinite(energy); }))
        return on_host(exec.backend, r);  // throws, with the reason
    centres.ties = std::move(ties);
    return centres;
}

void CentreScratch::add_potentials(Exec exec, const Request& r)
{
    const auto start = std::chrono::steady_clock::now();
    member_potentials(exec, r.particles, r.members, {r.config.softening, r.potentials.tree_members}, r.box,
                      r.potentials.potential, r.progress);
    times.potentials = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

CentreFinder::CentreFinder() : scratch_(std::make_unique<CentreScratch>()) {}
CentreFinder::~CentreFinder() = default;

Centres CentreFinder::find(Exec exec, const ConstParticlesView& particles, const MembersView& members,
                           const Box& box, const CentreConfig& config, const Progress& progress,
                           const PotentialOutput& potentials)
{
    expect_there(exec, particles, members);
    scratch_->times = {};
    const Request request{particles, members, box, config, progress, potentials};
    Centres centres = scratch_->centres(exec, request);
    // on the GPU the search leaves them, from the members that it sorted
    const std::unique_ptr<CentreMethod> method = make_centre_method(config);
    const bool found = exec.backend == Backend::cuda && method->runs_on_gpu() && method->by_potential();
    if (potentials.potential && members.n_members > 0 && !found) scratch_->add_potentials(exec, request);
    return centres;
}

const CentreTimes& CentreFinder::times() const { return scratch_->times; }

Centres find_centres(Exec exec, const ConstParticlesView& particles, const MembersView& members,
                     const Box& box, const CentreConfig& config, const Progress& progress)
{
    return CentreFinder().find(exec, particles, members, box, config, progress);
}

}  // namespace aureole::halo
