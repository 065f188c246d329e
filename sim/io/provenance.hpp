// Where a file comes from: name-value pairs that every written file carries, each format in its own way.
//
//     HDF5            attributes of the group /Provenance; of catalogues for yt, which takes groups for
//                     fields, attributes "Provenance.NAME" of the root
//     PNG             a text chunk (iTXt) for each
//     CSV, .grp       a file beside it, NAME-metadata.json (W3C, Metadata for Tabular Data, 2015): comments
//                     in the table itself would break those who read it by its first line
//     .param, .txt    lines of comments
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace aureole::io {

class Hdf5File;

/// Version, command line, configuration, host, device, ...; values may have several lines.
using Provenance = std::vector<std::pair<std::string, std::string>>;

/// The beginning of the names of root attributes that hold provenance in files without /Provenance.
inline constexpr char provenance_prefix[] = "Provenance.";

/// Makes /Provenance with an attribute for each pair.
void write_provenance(Hdf5File& file, const Provenance& provenance);

/// The pairs of /Provenance, or of the root's attributes, numbers as text; none in files of other codes.
Provenance provenance_in(const Hdf5File& file);

/// x.csv-metadata.json
std::filesystem::path metadata_name(const std::filesystem::path& file);

/// Writes metadata_name(file) unless `provenance` is empty; renamed when complete. Throws IoError.
void write_metadata(const std::filesystem::path& file, const Provenance& provenance);

/// Writes csv-metadata.json into `directory`, which describes the `tables` in it. Throws IoError.
inline constexpr char directory_metadata_name[] = "csv-metadata.json";
void write_directory_metadata(const std::filesystem::path& directory, const std::vector<std::string>& tables,
                              const Provenance& provenance);

/// The pairs as a JSON object, indented by four blanks.
std::string to_json(const Provenance& provenance);

/// A line "# NAME: VALUE" for each; lines of longer values are continued with "#     ".
std::string to_comments(const Provenance& provenance);

}  // namespace aureole::io
