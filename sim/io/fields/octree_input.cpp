#include "sim/io/fields/octree_input.hpp"

#include "sim/core/error.hpp"
#include "sim/io/fields/grid_file.hpp"

namespace aureole::io {
namespace {

constexpr std::int64_t most_cells = 1 << 12;  // along a side of a node

void expect_rows(const Hdf5File& file, const char* name, std::uint64_t found, std::uint64_t expected)
{
    if (found != expected)
        throw IoError(
            fmt::format("{}: /Nodes/{} has {} numbers, expected {}", file.name(), name, found, expected));
}

}  // namespace

bool holds_octree(const Hdf5File& file) { return file.has_group("/Nodes"); }

StoredOctree stored_octree(const Hdf5File& file)
{
    StoredOctree octree;
    const double cells = file.number("/", "PatchCells");
    if (!(cells >= 1 && cells <= most_cells))
        throw IoError(fmt::format("{}: PatchCells is {}, expected 1 to {}", file.name(), cells, most_cells));
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
