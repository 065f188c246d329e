// The parts of the modules _core and _run: each adds its functions and classes.
#pragma once

#include <nanobind/nanobind.h>

namespace aureole::python {

// _core
void bind_groups(nanobind::module_& module);          ///< friends of friends, spanning trees, overdensities
void bind_catalogue(nanobind::module_& module);       ///< tables of halos
void bind_gravity(nanobind::module_& module);         ///< forces and expansions
void bind_device_gravity(nanobind::module_& module);  ///< the same on a CUDA device
void bind_density(nanobind::module_& module);         ///< fields on grids, power spectra
void bind_sheet(nanobind::module_& module);           ///< the phase-space sheet on octrees and at points

// _run
void bind_files(nanobind::module_& module);       ///< snapshots, catalogues, coefficients
void bind_simulation(nanobind::module_& module);  ///< simulations
void bind_live(nanobind::module_& module);        ///< directories of runs, for those who look on

}  // namespace aureole::python
