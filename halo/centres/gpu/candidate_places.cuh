// Where candidates lie, and their energies of motion.
#pragma once

#include "halo/centres/gpu/search_data.hpp"

namespace aureole::halo::centre_search {

/// First place of a bucket.
__device__ inline std::uint64_t first_place(const MembersView& members, Index bucket, Index list)
{
    const std::uint64_t begin = members.begin[list];
    return begin + (bucket - begin / bucket_size - list) * bucket_size;
}

/// Energy of motion of a place in scaled units.
__device__ inline double scaled_kinetic(const CentreQuery& query, const SearchArrays& arrays, Index list,
                                        std::uint64_t place)
{
    if (!query.with_motion) return 0;
    const ListFrame& frame = arrays.frame[list];
    return arrays.kinetic[arrays.order[place]] * (frame.mass / frame.length);
}

}  // namespace aureole::halo::centre_search
