// How threads share lists of members: all threads work on one long list after the other, and each takes a few
// of the short ones.
#pragma once

#include <algorithm>

#include "halo/groups.hpp"
#include "sim/core/progress.hpp"

namespace aureole::halo {

/// From so many members on all threads work on one list; below, waiting for each other costs more than it
/// gives.
inline constexpr std::size_t shared_length = 20000;

/// Calls work(list, scratch) for every list; each thread has a Scratch of its own. Lists of `shared_size`
/// members or more are worked on by all threads: the loops of `work` open the team. `work` throws nothing.
/// `progress` is called with `what` before every long list and every block of short ones.
template <class Scratch, class Work>
void for_each_list(const Members& members, std::size_t shared_size, const Progress& progress,
                   std::string_view what, const Work& work)
{
    const std::size_t n = members.size();
    const auto done = [&](std::uint64_t n_members) {
        return static_cast<double>(n_members) /
               static_cast<double>(std::max<std::size_t>(1, members.particle.size()));
    };
    std::uint64_t n_done = 0;  // members
    {
        Scratch scratch;
        for (std::size_t list = 0; list < n; ++list)
            if (members.size(list) >= shared_size) {
                progress.at(done(n_done), what);
                work(list, scratch);
                n_done += members.size(list);
            }
    }
    const std::size_t block = progress.report || progress.stop ? std::max<std::size_t>(1024, n / 64) : n;
    for (std::size_t begin = 0; begin < n; begin += block) {
        const std::size_t end = std::min(n, begin + block);
        progress.at(done(n_done), what);
#pragma omp parallel if (members.particle.size() > parallel_threshold)
        {
            Scratch scratch;
#pragma omp for schedule(dynamic, 4)
            for (std::size_t list = begin; list < end; ++list)
                if (members.size(list) < shared_size) work(list, scratch);
        }
        for (std::size_t list = begin; list < end; ++list)
            if (members.size(list) < shared_size) n_done += members.size(list);
    }
}

template <class Scratch, class Work>
void for_each_list(const Members& members, std::size_t shared_size, const Work& work)
{
    for_each_list<Scratch>(members, shared_size, {}, "", work);
}

}  // namespace aureole::halo
