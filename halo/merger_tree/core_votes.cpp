#include "halo/merger_tree/core_votes.hpp"

#include <cmath>
#include <map>

#include "sim/core/error.hpp"

namespace aureole::halo {

std::uint64_t votes_of_rank(std::size_t rank)
{
    return static_cast<std::uint64_t>(std::ldexp(1 / (1 + std::sqrt(static_cast<double>(rank))), 32));
}

std::vector<Votes> votes_of_cores(const Members& cores, std::span<const std::int32_t> owner)
{
    AUREOLE_EXPECT(owner.size() == cores.particle.size(), "{} owners of {} members of cores", owner.size(),
                   cores.particle.size());
    std::vector<Votes> result(cores.size());
    struct Sum {
        std::uint64_t votes = 0, members = 0;
    };
    std::map<std::int32_t, Sum> sums;
    for (std::size_t core = 0; core < cores.size(); ++core) {
        sums.clear();
        for (std::uint64_t k = cores.begin[core]; k < cores.begin[core + 1]; ++k) {
            if (owner[k] < 0) continue;
            Sum& sum = sums[owner[k]];
            sum.votes += votes_of_rank(k - cores.begin[core]);
            ++sum.members;
        }
        for (const auto& [halo, sum] : sums)  // rising rows: of equal ones the first wins
            if (sum.votes > result[core].most) result[core] = {halo, sum.votes, sum.members};
    }
    return result;
}

std::uint64_t votes_for(const Members& cores, std::span<const std::int32_t> owner, std::size_t core,
                        std::int32_t halo)
{
    std::uint64_t votes = 0;
    for (std::uint64_t k = cores.begin[core]; k < cores.begin[core + 1]; ++k)
        if (owner[k] == halo) votes += votes_of_rank(k - cores.begin[core]);
    return votes;
}

}  // namespace aureole::halo
