#include "halo/ranks/ranked_finder.hpp"

#include <cstring>
#include <type_traits>
#include <utility>

#include "halo/ranks/find_over_parts.hpp"
#include "sim/comm/agreed.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

/// Null where ranks have no GPUs.
std::unique_ptr<DeviceSearch> search_on_devices(comm::Communicator& ranks, comm::DeviceMoves* moves)
{
    if (!moves || moves->where() == Backend::cpu) return nullptr;
    return std::make_unique<DeviceSearch>(ranks, *moves);
}

constexpr const char* without_memory =
    "memory is exhausted while groups are looked for: take more ranks, or hosts with more memory";

/// Of all ranks together, each of which has these particles.
PartGroups search(comm::Communicator& ranks, const ConstParticlesView& particles, const FofConfig& config)
{
    comm::Parts parts(ranks, 1);
    const PartParticles own{particles};
    return comm::ending_together(
        ranks, [&] { return find_over_parts(parts, std::span(&own, 1), config); }, without_memory);
}

}  // namespace

RankedFinder::RankedFinder(comm::Communicator& ranks, const FofConfig& settings, comm::DeviceMoves* moves)
    : ranks_(ranks), settings_(settings), devices_(search_on_devices(ranks, moves))
{
    expect_possible_over_parts(settings);
}

GroupsView RankedFinder::do_find(Exec exec, const ConstParticlesView& particles, const Progress& progress)
{
    AUREOLE_EXPECT((exec.backend == Backend::cpu) == (devices_ == nullptr),
                   "a search on a {} by ranks that are settled on {}", name_of(exec.backend),
                   devices_ ? "GPUs" : "the CPU");
    progress.at(0, "looking for friends on all ranks");
    static_assert(std::is_trivially_copyable_v<FofConfig>);
    const auto bytes = comm::bytes_of(settings_);
    std::vector<std::byte> task(1 + bytes.size());
    task[0] = search_task;
    std::memcpy(task.data() + 1, bytes.data(), bytes.size());
    ranks_.broadcast_any(task, 0);
    if (devices_)
        return comm::ending_together(
            ranks_, [&] { return devices_->find(exec, particles, settings_); }, without_memory);
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

void serve_searches(comm::Communicator& ranks, comm::DeviceMoves* moves,
                    const std::function<void(std::span<const std::byte>)>& other)
{
    const std::unique_ptr<DeviceSearch> devices = search_on_devices(ranks, moves);
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
            if (devices)
                comm::ending_together(
                    ranks, [&] { return devices->find({moves->where()}, nothing, config); }, without_memory);
            else
                search(ranks, nothing, config);
        } catch (const std::exception&) {  // of all ranks: rank 0 tells it
        }
    }
}

void end_searches(comm::Communicator& ranks)
{
    std::vector<std::byte> nothing;
    ranks.broadcast_any(nothing, 0);
}

}  // namespace aureole::halo
