// How threads share lists of members: the long ones one after the other by all threads, the short ones dealt
// out.
#pragma once

#include "halo/groups.hpp"

namespace aureole::halo {

/// work(list, scratch) for every list; each thread has a Scratch of its own. Lists of `shared_length` members
/// or more are worked on by all threads: work's own loops open the team. Nothing may be thrown.
template <class Scratch, class Work>
void for_each_list(const Members& members, std::size_t shared_length, const Work& work)
{
    const std::size_t n = members.size();
    {
        Scratch scratch;
        for (std::size_t list = 0; list < n; ++list)
            if (members.size(list) >= shared_length) work(list, scratch);
    }
#pragma omp parallel if (members.particle.size() > parallel_threshold)
    {
        Scratch scratch;
#pragma omp for schedule(dynamic, 4)
        for (std::size_t list = 0; list < n; ++list)
            if (members.size(list) < shared_length) work(list, scratch);
    }
}

}  // namespace aureole::halo
