#include "sim/analysis/halo_files.hpp"

#include <fmt/format.h>

#include "sim/io/halos/yt_catalogue.hpp"

namespace aureole::run {

std::filesystem::path catalogue_name(unsigned number)
{
    return fmt::format("fof_subhalo_tab_{:03}.hdf5", number);
}
std::filesystem::path yt_catalogue_name(unsigned number) { return fmt::format("halos_{:03}.0.h5", number); }
std::filesystem::path halo_table_name(unsigned number) { return fmt::format("halos_{:03}.csv", number); }

void write_halo_files(const std::filesystem::path& directory, unsigned number, const HaloCatalogue& found,
                      const io::CatalogueContent& content, const HaloFiles& files)
{
    const std::filesystem::path catalogue = directory / catalogue_name(number);
    if (found.subhalos)
        io::write_catalogue(catalogue, found.table, *found.subhalos, content);
    else
        io::write_catalogue(catalogue, found.table, content);
    if (files.yt) io::write_yt_catalogue(directory / yt_catalogue_name(number), found.table, content);
    if (!files.table.empty())
        io::write_table_csv(files.table, found.table, files.table_units, files.table_scales,
                            files.table_metadata ? content.provenance : io::Provenance{});
}

}  // namespace aureole::run
