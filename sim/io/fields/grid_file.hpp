// Fields on a grid of cells, as density deposits write them.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::io {

/// One number a cell, or three; counts are stored as uint32, the rest as float64.
struct GridField {
    enum class Kind { number, vector, count };

    std::string name;
    Kind kind = Kind::number;
    std::function<void(std::uint64_t cell, double* to)> fill;  ///< cells count with z running fastest
};

/// A table beside the fields: a dataset [n, width].
struct GridTable {
    std::string name;
    std::uint64_t width = 1;
    std::vector<double> values;
};

struct GridContent {
    std::array<std::uint64_t, 3> cells{};
    std::array<double, 3> low{}, high{};  ///< of the region, in the file's unit
    std::vector<GridField> fields;
    std::vector<GridTable> tables{};
    Attributes settings{};  ///< attributes of the file's root
    Provenance provenance{};
};

/// A dataset [nx, ny, nz] or [nx, ny, nz, 3] for each field and attributes Cells, RegionLow, RegionHigh and
/// CellSize [3]; the fields again in /VTKHDF, for ParaView and VTK: [nz, ny, nx], numbers as float32. Renamed
/// when complete; throws IoError naming the file.
void write_grid(const std::filesystem::path& file, const GridContent& content);

/// The geometry and the fields of a file of write_grid().
struct GridLayout {
    std::array<std::uint64_t, 3> cells{};
    std::array<double, 3> low{}, high{};
    std::vector<std::string> fields;  ///< names, sorted
};

/// Throws IoError naming the file when it is not one of write_grid, or its geometry makes no sense.
GridLayout grid_layout(const Hdf5File& file);

/// One number a cell, z running fastest: the field itself, or of a vector its `component` (0, 1, 2), or its
/// length without one. Throws IoError naming field and shape.
std::vector<double> read_grid_field(const Hdf5File& file, const GridLayout& layout, const std::string& field,
                                    std::optional<std::size_t> component = {});

/// The same of any array whose dimensions begin with `extent`, with 3 more numbers each for a vector.
std::vector<double> read_field(const Hdf5File& file, const std::string& field,
                               const std::vector<std::uint64_t>& extent,
                               std::optional<std::size_t> component);

// The values that a picture of a plane shows.

/// HDF5 with /Image [height, width], rows from the top, and these attributes; or CSV, a line per row, when
/// the name ends in .csv. Provenance is in /Provenance, or beside the table. Renamed when complete; throws
/// IoError naming the file.
void write_plane(const std::filesystem::path& file, std::span<const double> values, std::uint64_t width,
                 const Attributes& attributes, const Provenance& provenance = {});

}  // namespace aureole::io
