#include "halo/merger_tree/core_votes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "halo/merger_tree/catalogue_members.hpp"
#include "sim/core/backend.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

struct Sum {
    std::int32_t halo = -1;
    std::uint64_t votes = 0, members = 0;
};

std::uint64_t computed_votes(std::size_t rank)
{
    return static_cast<std::uint64_t>(std::ldexp(1 / (1 + std::sqrt(static_cast<double>(rank))), 32));
}

}  // namespace

std::uint64_t votes_of_rank(std::size_t rank)
{
    static const auto table = [] {
        std::array<std::uint64_t, most_core_members> votes{};
        for (std::size_t r = 0; r < votes.size(); ++r) votes[r] = computed_votes(r);
        return votes;
    }();
    return rank < table.size() ? table[rank] : computed_votes(rank);
}

std::vector<Votes> votes_of_cores(const Members& cores, std::span<const std::int32_t> owner)
{
    AUREOLE_EXPECT(owner.size() == cores.particle.size(), "{} owners of {} members of cores", owner.size(),
                   cores.particle.size());
    std::vector<Votes> result(cores.size());
#pragma omp parallel for if (cores.size() > parallel_threshold)
    for (std::size_t core = 0; core < cores.size(); ++core) {
        std::vector<Sum> sums;  // of few halos
        for (std::uint64_t k = cores.begin[core]; k < cores.begin[core + 1]; ++k) {
            if (owner[k] < 0) continue;
            auto sum = std::ranges::find(sums, owner[k], &Sum::halo);
            if (sum == sums.end()) sum = sums.insert(sums.end(), Sum{owner[k], 0, 0});
            sum->votes += votes_of_rank(k - cores.begin[core]);
            ++sum->members;
        }
        Votes& best = result[core];
        for (const Sum& sum : sums)
            if (sum.votes > best.most || (sum.votes == best.most && sum.halo < best.winner))
                best = {sum.halo, sum.votes, sum.members};
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
