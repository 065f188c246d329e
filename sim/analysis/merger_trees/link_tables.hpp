// Links between catalogues as tables, under GADGET-4's names, and their files.
#pragma once

#include <filesystem>

#include "halo/merger_tree/tracker.hpp"
#include "sim/core/table.hpp"
#include "sim/io/halos/catalogue_file.hpp"

namespace aureole::run {

/// A row per halo of the catalogue: SubhaloNr, ProgSubhaloNr, FirstProgSubhaloNr, NextDescSubhaloNr as in
/// GADGET-4's subhalo_prog, rows of the catalogue before or of this one, -1 for none; and TrackId,
/// MainProgSubhaloNr, SkipProgSubhaloNr (two catalogues before), Split, MassHistory, PeakMass,
/// VmaxAtPeakMass, SnapNumOfBirth, SnapNumOfInfall, TrackOfOrigin.
Table progenitor_table(const halo::CatalogueLinks& links);

/// A row per halo of the catalogue before: SubhaloNr, DescSubhaloNr, FirstDescSubhaloNr, NextProgSubhaloNr as
/// in GADGET-4's subhalo_desc; and TrackId, MainDescSubhaloNr, MergedInto, TrackEnd.
Table descendant_table(const halo::CatalogueLinks& links);

/// Writes both into `directory`; the second, without a catalogue before, not. `content` is the catalogue's.
/// Throws IoError.
void write_links(const std::filesystem::path& directory, const halo::CatalogueLinks& links,
                 const io::CatalogueContent& content);

}  // namespace aureole::run
