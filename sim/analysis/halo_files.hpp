// The files that say what the groups of one moment are: the catalogue, and on request yt's and a CSV table.
#pragma once

#include <filesystem>

#include "sim/analysis/halo_catalogue.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/halos/table_csv.hpp"

namespace aureole::run {

std::filesystem::path catalogue_name(unsigned number);     ///< fof_subhalo_tab_007.hdf5
std::filesystem::path yt_catalogue_name(unsigned number);  ///< halos_007.0.h5
std::filesystem::path halo_table_name(unsigned number);    ///< halos_007.csv

/// What is written beside the catalogue.
struct HaloFiles {
    bool yt = false;
    std::filesystem::path table;  ///< CSV; none when empty
    bool table_metadata = false;  ///< with a file of its provenance beside it
    io::ColumnUnits table_units;
    UnitScales table_scales;  ///< from the groups' numbers to the table's
};

/// Writes the catalogue `number` of `found` into `directory`, and what `files` asks for; throws IoError.
void write_halo_files(const std::filesystem::path& directory, unsigned number, const HaloCatalogue& found,
                      const io::CatalogueContent& content, const HaloFiles& files);

}  // namespace aureole::run
