// Quantities at points, written block by block as they are computed: HDF5, or a table when the name ends in
// .csv.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <vector>

#include "sim/core/particles.hpp"
#include "sim/core/vec3.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::io {

/// A quantity of every point: a dataset [N], or [N, 3] when there are three names; the names head columns of
/// CSV.
struct PointColumn {
    std::string dataset;
    std::vector<std::string> names;
    bool count = false;  ///< stored as uint32, else as float64
};

/// Writes quantities of N points. CSV holds no attributes. Provenance is in /Provenance, or beside the table.
/// Renamed by commit(), when all N points have come.
class PointTableWriter {
public:
    PointTableWriter(const std::filesystem::path& file, std::uint64_t n_points,
                     std::vector<PointColumn> columns, const Attributes& attributes,
                     Provenance provenance = {});

    /// Adds the numbers of all columns, point after point.
    void write(std::span<const double> rows);
    /// One more dataset, [n] or [n, width], of anything; HDF5 only.
    template <Hdf5Number T>
    void add(const std::string& path, std::span<const T> values, std::uint64_t width = 0)
    {
        expect_hdf5(path);
        hdf5_.create_dataset(path, number_type<T>(), values.size() / std::max<std::uint64_t>(width, 1), width)
            .write_rows(0, values);
    }
    void commit();

private:
    void expect_hdf5(const std::string& path) const;
    void expect_written() const;
    void write_text(std::span<const double> rows);
    void write_columns(std::span<const double> rows);

    std::filesystem::path name_;
    AtomicFile target_;
    bool csv_;
    std::uint64_t n_points_, n_written_ = 0;
    std::vector<PointColumn> columns_;
    Provenance provenance_;
    std::size_t width_ = 0;  ///< numbers of a point
    std::ofstream text_;
    Hdf5File hdf5_;
    std::vector<Hdf5Dataset> sets_;
};

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

// Positions at which a user asks for a field.

/// Text with lines `x y z` (blanks or commas between, `#` for comments; a first line of names chooses the
/// columns x, y and z among others), HDF5 with a dataset /Coordinates [N, 3], or any snapshot but a text
/// table: its particles. Throws IoError naming file and line or point for anything else, for numbers that are
/// not finite, and when there is no point.
std::vector<Vec3> read_points(const std::filesystem::path& file);

// Accelerations and potentials of particles, by which two solvers or two codes are compared.

struct ForcesContent {
    double acceleration_scale = 1, potential_scale = 1;  ///< from the particles' numbers to the file's
    double gravitational_constant = 1;                   ///< in the file's units; attribute G
    Attributes settings;                                 ///< attributes of the file's root
    Provenance provenance{};
};

/// Writes /Accelerations [N,3], /Potentials [N] (float64) and /ParticleIDs [N] of `host` (in host memory; the
/// index where ids are absent), in its order. Renamed when complete; throws IoError naming the file.
void write_forces(const std::filesystem::path& file, ConstParticlesView host, const ForcesContent& content);
inline void write_forces(const std::filesystem::path& file, const Particles& host,
                         const ForcesContent& content)
{
    write_forces(file, host.view(), content);
}

}  // namespace aureole::io
