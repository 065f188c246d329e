// A finder whose particles are all on rank 0, and which lets every rank search a part of them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "halo/finder.hpp"
#include "halo/ranks/device_search.hpp"
#include "sim/comm/communicator.hpp"

namespace aureole::halo {

/// On rank 0: what find_over_parts() finds, or DeviceSearch where ranks have GPUs, with the groups on this
/// rank. The others are in serve_searches() meanwhile. On GPUs particles may also be in host memory. Throws
/// as these do; a rank whose memory is exhausted ends the job.
class RankedFinder final : public Finder {
public:
    /// `ranks` must outlive the object. `moves`: between the GPUs of all ranks, or null for searches on the
    /// CPU. Throws ArgumentError for settings that one rank alone can work with.
    RankedFinder(comm::Communicator& ranks, const FofConfig& settings, comm::DeviceMoves* moves = nullptr);

    const FofConfig& settings() const override { return settings_; }
    /// On rank 0, where particles leave from and labels come back to; those of its domain for one rank.
    std::size_t scratch_bytes(Backend where, std::size_t n) const override;

private:
    GroupsView do_find(Exec exec, const ConstParticlesView& particles, const Progress& progress) override;

    comm::Communicator& ranks_;
    FofConfig settings_;
    std::unique_ptr<DeviceSearch> devices_;  ///< null on the CPU
    Groups groups_;
};

/// The first byte of what rank 0 broadcasts says what the others shall do.
inline constexpr std::byte search_task{1}, catalogue_task{2};

/// What the other ranks do until end_searches(): searches, with the moves that RankedFinder has, and with
/// tasks of other kinds `other`, which gets what follows their first byte.
void serve_searches(comm::Communicator& ranks, comm::DeviceMoves* moves = nullptr,
                    const std::function<void(std::span<const std::byte>)>& other = {});

/// Rank 0 lets the others return from serve_searches().
void end_searches(comm::Communicator& ranks);

}  // namespace aureole::halo
