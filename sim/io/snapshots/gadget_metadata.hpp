// The attributes of a Gadget-like HDF5 file (Gadget-2/3, GADGET-4, AREPO, GIZMO, SWIFT, Aureole), in whatever
// groups and under whatever names each code keeps them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::io {

struct GadgetMetadata {
    std::string format;
    SnapshotHeader header;
    std::optional<StatedSoftening> softening;
    std::vector<double> mass_table;           ///< per type of the code; empty when absent
    std::vector<std::uint64_t> in_this_file;  ///< particles per type; empty when absent
    std::vector<std::uint64_t> in_total;      ///< over all files; empty when absent
    std::uint64_t n_files = 1;
    std::vector<std::string> notes;
};

/// Throws IoError when there is no /Header, or for values that make no sense, naming file and attribute.
GadgetMetadata read_gadget_metadata(const Hdf5File& file);

/// Softening lengths by type, read from /Parameters, /RuntimePars or /Header: GADGET-4's and Aureole's
/// classes (SofteningComovingClassK), AREPO's (SofteningComovingTypeK), GIZMO's (Softening_TypeK), and those
/// of GADGET-2 and 3 (SofteningHalo, ...). In comoving files a largest physical length (SofteningMaxPhys...)
/// limits them at the scale factor of `header`, as these codes do. Nothing when no length above 0 is stated;
/// values that are no lengths count as none.
std::optional<StatedSoftening> gadget_softening(const Hdf5File& file, const SnapshotHeader& header);

}  // namespace aureole::io
