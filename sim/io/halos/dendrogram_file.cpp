#include "sim/io/halos/dendrogram_file.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"

namespace aureole::io {
namespace {

void write_merges(Hdf5File& out, const std::vector<DendrogramContent::Merge>& merges)
{
    const std::size_t n = merges.size();
    write_field<double>(out, "/Linkage", n, 4, [&](std::size_t k, double* row) {
        row[0] = static_cast<double>(merges[k].first);
        row[1] = static_cast<double>(merges[k].second);
        row[2] = std::sqrt(merges[k].squared_length);
        row[3] = static_cast<double>(merges[k].size);
    });
    write_field<std::uint64_t>(out, "/Nodes", n, 2, [&](std::size_t k, std::uint64_t* row) {
        row[0] = merges[k].first;
        row[1] = merges[k].second;
    });
    write_field<double>(out, "/SquaredLengths", n, 0,
                        [&](std::size_t k, double* to) { *to = merges[k].squared_length; });
    write_field<std::uint64_t>(out, "/Sizes", n, 0,
                               [&](std::size_t k, std::uint64_t* to) { *to = merges[k].size; });
    write_field<std::uint64_t>(out, "/EdgeIDs", n, 2, [&](std::size_t k, std::uint64_t* row) {
        row[0] = merges[k].edge_ids[0];
        row[1] = merges[k].edge_ids[1];
    });
}

void expect_shape(const Hdf5Dataset& set, std::uint64_t rows, std::uint64_t width)
{
    if (set.rows() == rows && set.width() == width) return;
    throw IoError(
        fmt::format("{}: {} x {} numbers, expected {} x {}: one row per merge, one merge less than "
                    "leaves",
                    set.label(), set.rows(), set.width(), rows, width));
}

}  // namespace

void write_dendrogram(const std::filesystem::path& file, const DendrogramContent& content)
{
    const std::size_t n_leaves = content.leaf_ids.size();
    AUREOLE_EXPECT(content.merges.size() == (n_leaves == 0 ? 0 : n_leaves - 1),
                   "a dendrogram of {} leaves with {} merges, expected one less", n_leaves,
                   content.merges.size());
    write_hdf5(file, [&](Hdf5File& out) {
        out.write_attributes("/", content.attributes);
        write_provenance(out, content.provenance);
        out.write_dataset<std::uint64_t>("/ParticleIDs", content.leaf_ids);
        write_merges(out, content.merges);
    });
}

DendrogramContent read_dendrogram(const std::filesystem::path& file)
{
    const Hdf5File in = Hdf5File::open(file);
    DendrogramContent content;
    const Hdf5Dataset leaves = in.dataset("/ParticleIDs");
    content.leaf_ids.resize(leaves.rows());
    read_ids(leaves, content.leaf_ids);
    const std::size_t n = content.leaf_ids.empty() ? 0 : content.leaf_ids.size() - 1;
    const Hdf5Dataset nodes = in.dataset("/Nodes"), lengths = in.dataset("/SquaredLengths"),
                      sizes = in.dataset("/Sizes"), ids = in.dataset("/EdgeIDs");
    for (const Hdf5Dataset* set : {&nodes, &ids}) expect_shape(*set, n, 2);
    for (const Hdf5Dataset* set : {&lengths, &sizes}) expect_shape(*set, n, 1);
    content.merges.resize(n);
    for_each_row<std::uint64_t>(nodes, [&](std::size_t k, const std::uint64_t* row) {
        content.merges[k].first = row[0];
        content.merges[k].second = row[1];
    });
    for_each_row<double>(
        lengths, [&](std::size_t k, const double* value) { content.merges[k].squared_length = *value; });
    for_each_row<std::uint64_t>(
        sizes, [&](std::size_t k, const std::uint64_t* value) { content.merges[k].size = *value; });
    for_each_row<std::uint64_t>(ids, [&](std::size_t k, const std::uint64_t* row) {
        content.merges[k].edge_ids = {row[0], row[1]};
    });
    return content;
}

}  // namespace aureole::io
