#include "halo/ranks/ranked_finder.hpp"

#include <cstring>
#include <type_traits>
#include <utility>

#include "halo/ranks/find_over_parts.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

/// Of all ranks together, each of which has these particles. What is not an error of all of them, no other
/// rank knows of: it ends the job.
PartGroups search(comm::Communicator& ranks, const ConstParticlesView& particles, const FofConfig& config)
{
    comm::Parts parts(ranks, 1);
    const PartParticles own{particles};
    try {
        return find_over_parts(parts, std::span(&own, 1), config);
    } catch (const Error&) {
        throw;
    } catch (const std::bad_alloc&) {
        if (ranks.size() == 1) throw;
        ranks.abort(
            "memory is exhausted while groups are looked for: take more ranks, or hosts with more memory");
    } catch (const std::exception& error) {
        if (ranks.size() == 1) throw;
        ranks.abort(error.what());
    }
    return {};  // abort() ends the process
}

}  // namespace

RankedFinder::RankedFinder(comm::Communicator& ranks, const FofConfig& settings)
    : ranks_(ranks), settings_(settings)
{
    expect_possible_over_parts(settings);
}

GroupsView RankedFinder::find_on_device(Exec exec, const ConstParticlesView& particles,
                                        const Progress& progress)
{
    AUREOLE_EXPECT(exec.backend == Backend::cpu,
                   "particles on a {}, expected host memory: several ranks search "
                   "on the CPU",
                   name_of(exec.backend));
    progress.at(0, "looking for friends on all ranks");
    static_assert(std::is_trivially_copyable_v<FofConfig>);
    const auto bytes = comm::bytes_of(settings_);
    std::vector<std::byte> task(1 + bytes.size());
    task[0] = search_task;
    std::memcpy(task.data() + 1, bytes.data(), bytes.size());
    ranks_.broadcast_any(task, 0);
    PartGroups found = search(ranks_, particles, settings_);
    groups_.label = std::move(found.label[0]);
    groups_.n_members.assign(found.n_members.begin(), found.n_members.end());
    groups_.core = settings_.core_flags ? std::move(found.core[0]) : std::vector<std::uint8_t>();
    return view_of(groups_);
}

std::size_t RankedFinder::scratch_bytes(Backend where, std::size_t n) const
{
    constexpr std::size_t leaving = 61, of_domain = 100;  // bytes a particle, as find_over_parts.hpp says
    const std::size_t own = n / static_cast<std::size_t>(ranks_.size());
    return leaving * n + of_domain * own + FriendsOfFriends::scratch_bytes(where, own, settings_);
}

void serve_searches(comm::Communicator& ranks, const std::function<void(std::span<const std::byte>)>& other)
{
    for (;;) {
        std::vector<std::byte> task;
        ranks.broadcast_any(task, 0);
        if (task.empty()) return;
        if (task[0] != search_task) {
            other(std::span<const std::byte>(task).subspan(1));
            continue;
        }
        FofConfig config;
        std::memcpy(&config, task.data() + 1, sizeof config);
        ConstParticlesView nothing{};
        nothing.where = Backend::cpu;
        try {
            search(ranks, nothing, config);
        } catch (const Error&) {  // of all ranks: rank 0 tells it
        }
    }
}

void end_searches(comm::Communicator& ranks)
{
    std::vector<std::byte> nothing;
    ranks.broadcast_any(nothing, 0);
}

}  // namespace aureole::halo
