#include "sim/run/ranks/rank_loads.hpp"

#include <algorithm>

namespace aureole::run {

double RankLoads::imbalance() const
{
    return mean.forces_seconds > 0 ? largest.forces_seconds / mean.forces_seconds : 1;
}

std::array<double, rank_columns.size()> numbers_of(const RankLoads& loads)
{
    return {static_cast<double>(loads.n), loads.mean.forces_seconds,
            loads.largest.forces_seconds, loads.imbalance(),
            loads.mean.moved_bytes,       loads.largest.moved_bytes};
}

RankLoads gather_loads(comm::Communicator& ranks, const RankLoad& own)
{
    std::vector<RankLoad> all(static_cast<std::size_t>(ranks.size()));
    ranks.all_gather(comm::bytes_of(own), std::as_writable_bytes(std::span(all)));
    RankLoads loads;
    loads.n = all.size();
    for (double RankLoad::*const number : {&RankLoad::forces_seconds, &RankLoad::moved_bytes}) {
        for (const RankLoad& load : all) {
            loads.mean.*number += load.*number / static_cast<double>(all.size());
            loads.largest.*number = std::max(loads.largest.*number, load.*number);
        }
    }
    return loads;
}

}  // namespace aureole::run
