// What snapshots and catalogues share when they are written: units, parameters, provenance, and the
// attributes that tell readers what each dataset means, in the families of both GADGET-4 and Gadget-3/OWLS.
#pragma once

#include "sim/core/table.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::io {

/// The header as it goes into a file: units filled in (galactic ones when it has none), and for isolated
/// files no cosmology: redshift and omegas 0, h 1.
SnapshotHeader completed(SnapshotHeader header);

/// Powers of the scale factor and of h that a stored quantity carries; all 0 in isolated files.
struct CosmologicalExponents {
    double a = 0, h = 0;
};
CosmologicalExponents exponents_of(const Dimension& dimension, const SnapshotHeader& header);

/// The factor from a table's numbers of this dimension to the file's.
double scale_of(const Dimension& dimension, const UnitScales& scales);

/// Whether a column was computed: false when it is NaN in every row; such columns are not written.
bool has_numbers(const Column& column);

/// cgs value of one file unit of a quantity.
double cgs_factor(const Dimension& dimension, const UnitSystem& units);

/// Writes the attributes of a dataset: powers of a and h, dimension, cgs factor and description.
void describe(Hdf5File& file, const std::string& dataset, const std::string& description,
              const Dimension& dimension, CosmologicalExponents exponents, const UnitSystem& units);

/// Time since the start of an isolated run, or the age of the universe; nothing for an unknown cosmology.
std::optional<double> time_gyr(const SnapshotHeader& header);

void write_units(Hdf5File& file, const UnitSystem& units);            ///< /Units
void write_parameters(Hdf5File& file, const SnapshotHeader& header);  ///< /Parameters without softening
void write_provenance(Hdf5File& file, const Provenance& provenance,   ///< /Provenance
                      const UnitScales& scales);

}  // namespace aureole::io
