// The parts of the module _core: each adds its functions.
#pragma once

#include <nanobind/nanobind.h>

namespace aureole::python {

void bind_groups(nanobind::module_& module);     ///< friends of friends, spanning trees, overdensities
void bind_catalogue(nanobind::module_& module);  ///< tables of halos
void bind_gravity(nanobind::module_& module);    ///< forces and expansions
void bind_density(nanobind::module_& module);    ///< fields on grids
void bind_sheet(nanobind::module_& module);      ///< the phase-space sheet on octrees and at points

}  // namespace aureole::python
