#include "sim/io/fields/grid_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ostream>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/list_text.hpp"

namespace aureole::io {
namespace {

constexpr std::int64_t most_cells = 1 << 20;  // along an axis

/// Slab by slab of x.
template <Hdf5Number T>
void write_field(Hdf5File& out, const GridContent& content, const GridField& field)
{
    const bool vector = field.kind == GridField::Kind::vector;
    std::vector<std::uint64_t> extent(content.cells.begin(), content.cells.end());
    if (vector) extent.push_back(3);
    Hdf5Dataset set = out.create_array("/" + field.name, number_type<T>(), extent);
    const std::uint64_t per_slab = content.cells[1] * content.cells[2], width = vector ? 3 : 1;
    std::vector<T> slab(per_slab * width);
    std::array<double, 3> value{};
    for (std::uint64_t i = 0; i < content.cells[0]; ++i) {
        for (std::uint64_t k = 0; k < per_slab; ++k) {
            field.fill(i * per_slab + k, value.data());
            for (std::uint64_t c = 0; c < width; ++c) slab[k * width + c] = static_cast<T>(value[c]);
        }
        set.write_rows(i, std::span<const T>(slab));
    }
}

/// For VTK x runs fastest: the field is filled once more, a few layers of z at a time.
template <Hdf5Number T>
void write_layers(Hdf5File& out, const GridContent& content, const GridField& field)
{
    constexpr std::uint64_t cells_at_once = std::uint64_t{1} << 22;
    const auto [nx, ny, nz] = content.cells;
    const bool vector = field.kind == GridField::Kind::vector;
    std::vector<std::uint64_t> extent{nz, ny, nx};
    if (vector) extent.push_back(3);
    Hdf5Dataset set = out.create_array("/VTKHDF/PointData/" + field.name, number_type<T>(), extent);
    const std::uint64_t width = vector ? 3 : 1,
                        at_once = std::clamp<std::uint64_t>(cells_at_once / (nx * ny), 1, nz);
    std::vector<T> layers;
    std::array<double, 3> value{};
    for (std::uint64_t first = 0; first < nz; first += at_once) {
        const std::uint64_t n = std::min(at_once, nz - first);
        layers.resize(n * ny * nx * width);
        for (std::uint64_t i = 0; i < nx; ++i)
            for (std::uint64_t j = 0; j < ny; ++j)
                for (std::uint64_t k = 0; k < n; ++k) {
                    field.fill((i * ny + j) * nz + first + k, value.data());
                    for (std::uint64_t c = 0; c < width; ++c)
                        layers[((k * ny + j) * nx + i) * width + c] = static_cast<T>(value[c]);
                }
        set.write_rows(first, std::span<const T>(layers));
    }
}

/// An ImageData of VTK's HDF5 format, version 1.0: what is said of the grid, then its fields, at points which
/// are the centres of cells: ParaView 5.11 reads no cells of images.
void write_for_vtk(Hdf5File& out, const GridContent& content, const std::array<double, 3>& cell_size)
{
    out.create_group("/VTKHDF");
    out.write_attribute("/VTKHDF", "Version", std::array<std::int64_t, 2>{1, 0});
    out.write_attribute("/VTKHDF", "Type", "ImageData");
    std::array<std::int64_t, 6> extent{};
    std::array<double, 3> centre = content.low;
    for (std::size_t a = 0; a < 3; ++a) {
        extent[2 * a + 1] = static_cast<std::int64_t>(content.cells[a]) - 1;
        centre[a] += 0.5 * cell_size[a];
    }
    out.write_attribute("/VTKHDF", "WholeExtent", extent);
    out.write_attribute("/VTKHDF", "Origin", centre);
    out.write_attribute("/VTKHDF", "Spacing", cell_size);
    out.write_attribute("/VTKHDF", "Direction", std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1});
    out.create_group("/VTKHDF/PointData");
    for (const GridField& field : content.fields)
        if (field.kind == GridField::Kind::count)
            write_layers<std::uint32_t>(out, content, field);
        else
            write_layers<float>(out, content, field);
}

}  // namespace

void write_grid(const std::filesystem::path& file, const GridContent& content)
{
    write_hdf5(file, [&](Hdf5File& out) {
        std::array<std::int64_t, 3> cells{};
        std::array<double, 3> size{};
        for (std::size_t a = 0; a < 3; ++a) {
            cells[a] = static_cast<std::int64_t>(content.cells[a]);
            size[a] = (content.high[a] - content.low[a]) / static_cast<double>(cells[a]);
        }
        out.write_attribute("/", "Cells", cells);
        out.write_attribute("/", "RegionLow", content.low);
        out.write_attribute("/", "RegionHigh", content.high);
        out.write_attribute("/", "CellSize", size);
        out.write_attributes("/", content.settings);
        write_provenance(out, content.provenance);
        for (const GridField& field : content.fields)
            if (field.kind == GridField::Kind::count)
                write_field<std::uint32_t>(out, content, field);
            else
                write_field<double>(out, content, field);
        for (const auto& [name, width, values] : content.tables)
            out.create_dataset("/" + name, NumberType::f64, values.size() / width, width)
                .write_rows(0, std::span<const double>(values));
        write_for_vtk(out, content, size);
    });
}

GridLayout grid_layout(const Hdf5File& file)
{
    for (const char* name : {"Cells", "RegionLow", "RegionHigh"}) {
        if (!file.has_attribute("/", name))
            throw IoError(fmt::format("{}: has no attribute {}, expected a file of `aureole density`",
                                      file.name(), name));
        if (const std::size_t n = file.numbers("/", name).size(); n != 3)
            throw IoError(
                fmt::format("{}: {} holds {} numbers, expected one for each axis", file.name(), name, n));
    }
    GridLayout layout;
    const std::vector<std::int64_t> cells = file.integers("/", "Cells");
    const std::vector<double> low = file.numbers("/", "RegionLow"), high = file.numbers("/", "RegionHigh");
    bool sound = true;
    for (std::size_t a = 0; sound && a < 3; ++a) {
        sound = cells[a] > 0 && cells[a] < most_cells && low[a] < high[a] && std::isfinite(high[a] - low[a]);
        layout.cells[a] = static_cast<std::uint64_t>(cells[a]);
        layout.low[a] = low[a];
        layout.high[a] = high[a];
    }
    if (!sound)
        throw IoError(fmt::format("{}: Cells [{}], RegionLow [{}] and RegionHigh [{}] are no grid",
                                  file.name(), list_text(cells, ", "), list_text(low, ", "),
                                  list_text(high, ", ")));
    for (const std::string& name : file.members("/"))
        if (file.has_dataset("/" + name) && file.array("/" + name).inner().size() > 1)  // else a table
            layout.fields.push_back(name);
    return layout;
}

std::vector<double> read_grid_field(const Hdf5File& file, const GridLayout& layout, const std::string& field,
                                    std::optional<std::size_t> component)
{
    return read_field(file, field, {layout.cells.begin(), layout.cells.end()}, component);
}

std::vector<double> read_field(const Hdf5File& file, const std::string& field,
                               const std::vector<std::uint64_t>& extent, std::optional<std::size_t> component)
{
    const Hdf5Dataset set = file.array("/" + field);
    std::vector<std::uint64_t> shape{set.rows()};
    shape.insert(shape.end(), set.inner().begin(), set.inner().end());
    const bool vector = shape.size() == extent.size() + 1 && shape.back() == 3;
    if (vector) shape.pop_back();
    if (shape != extent)
        throw IoError(fmt::format("{} has the shape {}, expected {}, with three more for a vector",
                                  set.label(), list_text(shape, " x "), list_text(extent, " x ")));
    if (component && (!vector || *component > 2))
        throw IoError(fmt::format("{} is no vector: it has no components", set.label()));
    const std::size_t width = vector ? 3 : 1;
    std::vector<double> values(set.rows() * (set.width() / width));
    if (!vector) {
        set.read_rows<double>(0, values);
        return values;
    }
    std::vector<double> row(set.width());
    std::size_t cell = 0;
    for (std::uint64_t i = 0; i < set.rows(); ++i) {
        set.read_rows<double>(i, row);
        for (std::size_t k = 0; k < row.size(); k += 3)
            values[cell++] = component ? row[k + *component] : std::hypot(row[k], row[k + 1], row[k + 2]);
    }
    return values;
}

namespace {
void write_rows(std::ostream& out, std::span<const double> values, std::uint64_t width)
{
    for (std::size_t row = 0; row < values.size(); row += width) {
        std::string line;
        for (std::size_t k = 0; k < width; ++k)
            fmt::format_to(std::back_inserter(line), "{}{}", k > 0 ? "," : "", values[row + k]);
        out << line << '\n';
    }
}

}  // namespace

void write_plane(const std::filesystem::path& file, std::span<const double> values, std::uint64_t width,
                 const Attributes& attributes, const Provenance& provenance)
{
    AUREOLE_EXPECT(width > 0 && values.size() % width == 0, "{} values in rows of {}, expected whole rows",
                   values.size(), width);
    if (file.extension() == ".csv") {
        AtomicFile target(file);
        target.write([&](std::ostream& out) { write_rows(out, values, width); });
        write_metadata(file, provenance);
        target.commit();
        return;
    }
    write_hdf5(file, [&](Hdf5File& out) {
        out.write_attributes("/", attributes);
        write_provenance(out, provenance);
        out.create_dataset("/Image", NumberType::f64, values.size() / width, width).write_rows(0, values);
    });
}

}  // namespace aureole::io
