// The softening lengths among the parameters of a Gadget-like HDF5 file, under the names of each code.
#pragma once

#include <optional>

#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::io {

/// Softening lengths by type, read from /Parameters, /RuntimePars or /Header: GADGET-4's and Aureole's
/// classes (SofteningComovingClassK), AREPO's (SofteningComovingTypeK), GIZMO's (Softening_TypeK), and those
/// of GADGET-2 and 3 (SofteningHalo, ...). In comoving files a largest physical length (SofteningMaxPhys...)
/// limits them at the scale factor of `header`, as these codes do. Nothing when no length above 0 is stated;
/// values that are no lengths count as none.
std::optional<StatedSoftening> gadget_softening(const Hdf5File& file, const SnapshotHeader& header);

}  // namespace aureole::io
