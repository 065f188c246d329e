#include "sim/io/fields/octree_file.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/io/fields/grid_file.hpp"

namespace aureole::io {
namespace {

constexpr std::int64_t most_patch_cells = 1 << 12;  ///< along a side of a node, in files that are read

void expect_rows(const Hdf5File& file, const char* name, std::uint64_t found, std::uint64_t expected)
{
    if (found != expected)
        throw IoError(
            fmt::format("{}: /Nodes/{} has {} numbers, expected {}", file.name(), name, found, expected));
}

}  // namespace

double OctreeLayout::node_size(std::size_t node) const
{
    return std::ldexp(size, -static_cast<int>(level[node]));
}

OctreeFile::OctreeFile(const std::filesystem::path& file, OctreeLayout layout,
                       std::vector<OctreeField> fields)
    : target_(file),
      out_(Hdf5File::create(target_.temporary(), file)),
      layout_(std::move(layout)),
      fields_(std::move(fields))
{
    const std::uint64_t nodes = layout_.n_nodes(), n = layout_.cells;
    AUREOLE_EXPECT(nodes > 0 && layout_.place.size() == nodes && layout_.first_child.size() == nodes &&
                       layout_.parent.size() == nodes && std::ranges::is_sorted(layout_.level),
                   "{}: {} nodes with arrays of other lengths or not breadth first, expected a whole octree "
                   "from the root on",
                   file.string(), nodes);
    out_.write_attribute("/", "PatchCells", static_cast<std::int64_t>(n));
    out_.write_attribute("/", "RegionLow", layout_.low);
    out_.write_attribute("/", "RegionSize", layout_.size);
    out_.write_attribute("/", "Levels", static_cast<std::int64_t>(layout_.level.back()) + 1);
    out_.write_attribute("/", "CellOrder", "z y x: x runs fastest");
    write_nodes();
    for (const OctreeField& field : fields_) {
        std::vector<std::uint64_t> extent{nodes, n, n, n};
        if (field.width > 1) extent.push_back(field.width);
        sets_.push_back(
            out_.create_array("/" + field.name, field.single ? NumberType::f32 : NumberType::f64, extent));
    }
    write_levels();
}

void OctreeFile::write_nodes()
{
    const std::uint64_t nodes = layout_.n_nodes();
    std::vector<double> low, size;
    for (std::size_t node = 0; node < nodes; ++node) {
        size.push_back(layout_.node_size(node));
        for (std::size_t a = 0; a < 3; ++a)
            low.push_back(layout_.low[a] + size.back() * layout_.place[node][a]);
    }
    out_.create_group("/Nodes");
    out_.create_dataset("/Nodes/Low", NumberType::f64, nodes, 3).write_rows(0, std::span<const double>(low));
    out_.write_dataset("/Nodes/Size", std::span<const double>(size));
    out_.write_dataset("/Nodes/Level", std::span<const std::uint32_t>(layout_.level));
    out_.write_dataset("/Nodes/FirstChild", std::span<const std::int64_t>(layout_.first_child));
    out_.write_dataset("/Nodes/Parent", std::span<const std::int64_t>(layout_.parent));
}

/// Writes what VTK's file format requires of an OverlappingAMR: a group for each level with its spacing, its
/// boxes in cells of the level (both ends included), and the fields of one box after the other.
void OctreeFile::write_levels()
{
    out_.create_group("/VTKHDF");
    out_.write_attribute("/VTKHDF", "Version", std::array<std::int64_t, 2>{1, 0});
    out_.write_attribute("/VTKHDF", "Type", "OverlappingAMR");
    out_.write_attribute("/VTKHDF", "GridDescription", "XYZ");
    out_.write_attribute("/VTKHDF", "Origin", layout_.low);
    for (std::uint64_t first = 0; first < layout_.n_nodes();) {
        const std::uint32_t level = layout_.level[first];
        std::uint64_t end = first;
        while (end < layout_.n_nodes() && layout_.level[end] == level) ++end;
        write_level(level, first, end - first);
        first = end;
    }
}

void OctreeFile::write_level(std::uint64_t level, std::uint64_t first, std::uint64_t count)
{
    const std::string group = fmt::format("/VTKHDF/Level{}", level);
    const auto n = static_cast<std::int32_t>(layout_.cells);
    const double spacing = layout_.node_size(first) / static_cast<double>(n);
    out_.create_group(group);
    out_.write_attribute(group, "Spacing", std::array<double, 3>{spacing, spacing, spacing});
    std::vector<std::int32_t> boxes;
    for (std::uint64_t node = first; node < first + count; ++node)
        for (const std::uint32_t place : layout_.place[node]) {
            boxes.push_back(static_cast<std::int32_t>(place) * n);
            boxes.push_back(boxes.back() + n - 1);
        }
    out_.create_dataset(group + "/AMRBox", NumberType::i32, count, 6)
        .write_rows(0, std::span<const std::int32_t>(boxes));
    for (const char* data : {"/PointData", "/FieldData", "/CellData"}) out_.create_group(group + data);
    for (const OctreeField& field : fields_) {
        std::vector<std::uint64_t> extent{count * layout_.cells * layout_.cells * layout_.cells};
        if (field.width > 1) extent.push_back(field.width);
        out_.create_virtual(group + "/CellData/" + field.name, extent, "/" + field.name, first);
    }
}

template <Hdf5Number T>
void OctreeFile::write_turned(std::size_t field, std::uint64_t node, std::span<const double> values)
{
    const std::uint64_t n = layout_.cells, width = fields_[field].width;
    std::vector<T> turned(values.size());
    auto to = turned.begin();
    for (std::uint64_t k = 0; k < n; ++k)
        for (std::uint64_t j = 0; j < n; ++j)
            for (std::uint64_t i = 0; i < n; ++i)
                for (std::uint64_t c = 0; c < width; ++c)
                    *to++ = static_cast<T>(values[((i * n + j) * n + k) * width + c]);
    sets_[field].write_rows(node, std::span<const T>(turned));
}

void OctreeFile::write(std::size_t field, std::uint64_t node, std::span<const double> values)
{
    AUREOLE_EXPECT(
        field < fields_.size() && node < layout_.n_nodes() &&
            values.size() == layout_.cells * layout_.cells * layout_.cells * fields_[field].width,
        "{}: {} numbers for field {} of node {}, expected all numbers of all cells of an existing node",
        out_.name(), values.size(), field, node);
    if (fields_[field].single)
        write_turned<float>(field, node, values);
    else
        write_turned<double>(field, node, values);
}

void OctreeFile::commit(const Attributes& settings, const Provenance& provenance)
{
    out_.write_attributes("/", settings);
    write_provenance(out_, provenance);
    sets_.clear();
    out_.close();
    target_.commit();
}

bool holds_octree(const Hdf5File& file) { return file.has_group("/Nodes"); }

StoredOctree stored_octree(const Hdf5File& file)
{
    StoredOctree octree;
    const double cells = file.number("/", "PatchCells");
    if (!(cells >= 1 && cells <= most_patch_cells))
        throw IoError(
            fmt::format("{}: PatchCells is {}, expected 1 to {}", file.name(), cells, most_patch_cells));
    octree.cells = static_cast<std::uint64_t>(cells);
    octree.size = file.values<double>("/Nodes/Size");
    if (octree.n_nodes() == 0)
        throw IoError(fmt::format("{}: /Nodes/Size holds no node, expected the root at least", file.name()));
    octree.level = file.values<std::uint32_t>("/Nodes/Level");
    octree.first_child = file.values<std::int64_t>("/Nodes/FirstChild");
    const std::vector<double> low = file.values<double>("/Nodes/Low");
    expect_rows(file, "Level", octree.level.size(), octree.n_nodes());
    expect_rows(file, "FirstChild", octree.first_child.size(), octree.n_nodes());
    expect_rows(file, "Low", low.size(), 3 * octree.n_nodes());
    for (std::size_t k = 0; k < octree.n_nodes(); ++k)
        octree.low.push_back({low[3 * k], low[3 * k + 1], low[3 * k + 2]});
    for (const std::string& name : file.members("/"))
        if (file.has_dataset("/" + name)) octree.fields.push_back(name);
    return octree;
}

std::vector<double> read_octree_field(const Hdf5File& file, const StoredOctree& octree,
                                      const std::string& field, std::optional<std::size_t> component)
{
    const std::uint64_t n = octree.cells;
    std::vector<double> values = read_field(file, field, {octree.n_nodes(), n, n, n}, component);
    std::vector<double> node(n * n * n);
    for (std::size_t first = 0; first < values.size(); first += node.size()) {
        for (std::size_t c = 0; c < node.size(); ++c) node[c] = values[first + c];
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                for (std::size_t k = 0; k < n; ++k)
                    values[first + (i * n + j) * n + k] = node[(k * n + j) * n + i];
    }
    return values;
}

}  // namespace aureole::io
