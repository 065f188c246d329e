#include "halo/fof/cell_linking.hpp"

namespace aureole::halo {

void join_cells_cuda(Exec exec, const CellTask&) { throw_not_built(exec.backend); }
void point_at_roots_cuda(Exec exec, const CellTask&) { throw_not_built(exec.backend); }

}  // namespace aureole::halo
