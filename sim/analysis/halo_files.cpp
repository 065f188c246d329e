#include "sim/analysis/halo_files.hpp"

#include "halo/spanning_tree/dendrogram.hpp"
#include "sim/core/error.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/halos/dendrogram_file.hpp"

namespace aureole::run {

void write_halo_files(const std::filesystem::path& directory, unsigned number, const HaloCatalogue& found,
                      const io::CatalogueContent& content, const HaloFiles& files)
{
    const std::filesystem::path catalogue = directory / io::catalogue_names.of(number);
    if (found.subhalos)
        io::write_catalogue(catalogue, found.table, *found.subhalos, content);
    else
        io::write_catalogue(catalogue, found.table, content);
    if (files.yt) io::write_yt_catalogue(directory / io::yt_catalogue_names.of(number), found.table, content);
    if (!files.table.empty())
        io::write_table_csv(files.table, found.table, files.table_units, files.table_scales,
                            files.table_metadata ? content.provenance : io::Provenance{});
}

void write_dendrogram(const std::filesystem::path& file, const halo::SpanningTree& tree,
                      const halo::SpanningTreeConfig& config, std::span<const std::uint64_t> ids,
                      io::Attributes attributes, const io::Provenance& provenance)
{
    AUREOLE_EXPECT(ids.size() == tree.n_particles, "{} ids for a spanning tree of {} particles", ids.size(),
                   tree.n_particles);
    const halo::Dendrogram dendrogram = halo::dendrogram_of(tree);
    io::DendrogramContent content;
    content.attributes = std::move(attributes);
    content.attributes.emplace_back("NumLeaves", static_cast<std::int64_t>(dendrogram.particle.size()));
    content.attributes.emplace_back("BoxSize", config.box.side);
    content.attributes.emplace_back("VelocityScale", config.velocity_scale);
    for (const Index particle : dendrogram.particle) content.leaf_ids.push_back(ids[particle]);
    for (std::size_t k = 0; k < dendrogram.merges.size(); ++k) {
        const halo::Dendrogram::Merge& merge = dendrogram.merges[k];
        const halo::SpanningTree::Edge& edge = tree.edges[k];
        content.merges.push_back(
            {merge.first, merge.second, merge.squared_length, merge.size, {ids[edge.u], ids[edge.v]}});
    }
    content.provenance = provenance;
    io::write_dendrogram(file, content);
}

}  // namespace aureole::run
