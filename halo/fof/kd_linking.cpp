#include "halo/fof/kd_linking.hpp"

#include "halo/fof/kd_linking_twins.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {

void link_tree(Exec exec, const LinkTask& task)
{
    AUREOLE_EXPECT(task.tree.n > 0 && task.tree.node, "a tree of {} points without nodes cannot be linked",
                   task.tree.n);
    if (exec.backend == Backend::cpu) return detail::link_tree_cpu(task);
#if defined(AUREOLE_WITH_CUDA)
    detail::link_tree_cuda(exec.stream, task);
#else
    throw_not_built(exec.backend);
#endif
}

}  // namespace aureole::halo
