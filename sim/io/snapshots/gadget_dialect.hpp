// What snapshots and catalogues share when they are written: units, parameters, provenance, and the
// attributes that tell readers what each dataset means (GADGET-4's family and Gadget-3/OWLS's family, both).
#pragma once

#include "sim/core/table.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/snapshots/write_snapshot.hpp"

namespace aureole::io {

/// The header as it goes into a file: units filled in (galactic when not said), and for isolated files no
/// cosmology: redshift and omegas 0, h 1.
SnapshotHeader completed(SnapshotHeader header);

/// Powers of the scale factor and of h that a stored quantity carries; all 0 in isolated files.
struct CosmologicalExponents {
    double a = 0, h = 0;
};
CosmologicalExponents exponents_of(const Dimension& dimension, const SnapshotHeader& header);

/// cgs value of one file unit of a quantity.
double cgs_factor(const Dimension& dimension, const UnitSystem& units);

/// Gives a dataset its attributes.
void describe(Hdf5File& file, const std::string& dataset, const std::string& description,
              const Dimension& dimension, CosmologicalExponents exponents, const UnitSystem& units);

/// Time since the start of an isolated run, or the age of the universe; nothing for an unknown cosmology.
std::optional<double> time_gyr(const SnapshotHeader& header);

void write_units(Hdf5File& file, const UnitSystem& units);            ///< /Units
void write_parameters(Hdf5File& file, const SnapshotHeader& header);  ///< /Parameters without softening
void write_provenance(Hdf5File& file, const Provenance& provenance,   ///< /Provenance
                      const UnitScales& scales);

}  // namespace aureole::io
