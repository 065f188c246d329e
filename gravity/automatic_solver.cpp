#include "gravity/automatic_solver.hpp"

namespace aureole::gravity {

std::size_t direct_up_to(Backend where, Precision precision)
{
    // Where an evaluation by the tree at its default accuracy takes as long as the direct sum, rounded
    // down: tests/bench/RESULTS.md, "Direct sum or tree".
    const bool mixed = precision == Precision::mixed;
    if (where == Backend::cuda) return mixed ? 20480 : 16384;
    return mixed ? 4096 : 2048;
}

std::string settled_solver(const std::string& name, Backend where, Precision precision, std::size_t n)
{
    if (name != automatic_solver) return name;
    return n <= direct_up_to(where, precision) ? "direct" : "tree";
}

}  // namespace aureole::gravity
