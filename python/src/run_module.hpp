// The parts of the module _run: each adds its functions and classes.
#pragma once

#include <nanobind/nanobind.h>

namespace aureole::python {

void bind_files(nanobind::module_& module);       ///< snapshots, catalogues, coefficients
void bind_simulation(nanobind::module_& module);  ///< simulations

}  // namespace aureole::python
