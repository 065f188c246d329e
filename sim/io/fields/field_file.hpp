// Density, potential and acceleration at points, written block by block as they are computed.
#pragma once

#include <span>

#include "sim/core/vec3.hpp"
#include "sim/io/fields/point_table.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::io {

struct FieldValue {
    Vec3 position;
    double density = 0, potential = 0;
    Vec3 acceleration;
};

/// HDF5: /Coordinates [N,3], /Density [N], /Potential [N], /Accelerations [N,3] and attributes of the root.
/// CSV when the name ends in .csv: a line of names, then x,y,z,density,potential,ax,ay,az per point, and no
/// attributes. Provenance is in /Provenance, or beside the table. Renamed by commit(), when all N points have
/// come.
class FieldWriter {
public:
    FieldWriter(const std::filesystem::path& file, std::uint64_t n_points, const Attributes& attributes,
                Provenance provenance = {});

    void write(std::span<const FieldValue> next);
    void commit() { table_.commit(); }

private:
    PointTableWriter table_;
};

}  // namespace aureole::io
