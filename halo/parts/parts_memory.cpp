// What a search by parts takes, for the choice of how many.
#include <algorithm>

#include "halo/parts/group_heads.hpp"
#include "halo/parts/parts_finder.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo {
namespace {

std::size_t with_ghosts(std::size_t n) { return n + n / 10; }

/// Ids may be there.
EntryKind kind_of(const FofConfig& config) { return {in_phase_space(config), true}; }

/// Two batches as they come, and what makes entries of one.
std::size_t bytes_of_batches(Backend where, std::size_t batch, const FofConfig& config)
{
    const std::size_t entries = with_ghosts(batch), of_particle = in_phase_space(config) ? 57 : 33;
    constexpr std::size_t of_point = 18, of_pair = 24;
    return batch * (2 * of_particle + of_point) + select_flagged_scratch_bytes(where, batch) +
           entries * of_pair + sort_pairs_scratch_bytes(where, entries) +
           bytes_of_entries(entries, kind_of(config));
}

}  // namespace

std::size_t PartsFinder::bytes_of_store(std::size_t n, const FofConfig& config)
{
    return bytes_of_entries(with_ghosts(n), kind_of(config));
}

std::size_t PartsFinder::bytes(Backend where, std::size_t n, const FofConfig& config,
                               const PartsConfig& parts)
{
    if (n == 0) return 0;
    const std::size_t part = with_ghosts(n / static_cast<std::size_t>(std::max(1, parts.n_parts)) + 1);
    const std::size_t linking = GroupHeads::bytes(where, n, n / 10, part, config) +
                                PartLinker::bytes(where, part, config) +
                                2 * bytes_of_entries(part, kind_of(config));
    const bool flags_core = config.min_friends > 1 || config.core_flags;
    return std::max(linking, bytes_of_batches(where, std::min(n, parts.batch), config)) +
           (flags_core ? n : 0);
}

int PartsFinder::fitting_parts(Backend where, std::size_t n, const FofConfig& config, std::size_t free)
{
    for (int n_parts = 1; n_parts <= most_parts; n_parts *= 2) {
        PartsConfig parts;
        parts.n_parts = n_parts;
        if (bytes(where, n, config, parts) <= free) return n_parts;
    }
    return 0;
}

}  // namespace aureole::halo
