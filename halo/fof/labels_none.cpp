#include "halo/fof/labels.hpp"

namespace aureole::halo {

void count_members_cuda(Exec exec, const SetArrays&) { throw_not_built(exec.backend); }

void find_smallest_ids_cuda(Exec exec, const SetArrays&, const std::uint64_t*, std::uint64_t*)
{
    throw_not_built(exec.backend);
}

}  // namespace aureole::halo
