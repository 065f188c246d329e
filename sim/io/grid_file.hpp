// Fields on a grid of cells: what density deposits say.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "sim/io/hdf5_file.hpp"

namespace aureole::io {

/// One number a cell, or three; counts are stored as uint32, the rest as float64.
struct GridField {
    enum class Kind { number, vector, count };

    std::string name;
    Kind kind = Kind::number;
    std::function<void(std::uint64_t cell, double* to)> fill;  ///< cells count with z running fastest
};

/// Numbers beside the fields: a dataset [n, width].
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
};

/// A dataset [nx, ny, nz] or [nx, ny, nz, 3] for each field and attributes Cells, RegionLow, RegionHigh and
/// CellSize [3]; the fields again in /VTKHDF, for ParaView and VTK: [nz, ny, nx], numbers as float32. Renamed
/// when complete; throws IoError naming the file.
void write_grid(const std::filesystem::path& file, const GridContent& content);

}  // namespace aureole::io
