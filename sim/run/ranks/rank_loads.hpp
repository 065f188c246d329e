// What the ranks of a run have to do, for timings.csv.
#pragma once

#include <array>
#include <string_view>

#include "sim/comm/communicator.hpp"

namespace aureole::run {

/// Of one rank since the program has started.
struct RankLoad {
    double forces_seconds =
        0;  ///< own work on forces; on a GPU that moves its own particles with the exchange of sums
    double moved_bytes = 0;  ///< of arrays of particles and sums, to and from other ranks
};

/// Of all ranks.
struct RankLoads {
    std::size_t n = 1;
    RankLoad mean, largest;

    /// Largest over mean seconds of forces; 1 where none has any.
    double imbalance() const;
};

/// Columns of a log, and the numbers of a row.
inline constexpr std::array<std::string_view, 6> rank_columns{
    "number_of_ranks",           "mean_forces_seconds_of_ranks", "largest_forces_seconds_of_ranks",
    "forces_imbalance_of_ranks", "mean_moved_bytes_of_ranks",    "largest_moved_bytes_of_ranks"};
std::array<double, rank_columns.size()> numbers_of(const RankLoads& loads);

/// Collective; the same on every rank.
RankLoads gather_loads(comm::Communicator& ranks, const RankLoad& own);

}  // namespace aureole::run
