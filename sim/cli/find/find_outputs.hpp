// Where `aureole find` writes the sorted snapshot and the catalogue, and whose files may lie there already.
#pragma once

#include "sim/cli/commands.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::cli {

/// Names after the input: the directory of -o, or else halos/ beside snapshot_NNN and halos/NAME/ beside
/// NAME_NNN and NAME; the number is that of the input's name, or 0.
struct FindOutputs {
    std::filesystem::path directory;
    unsigned number = 0;

    std::filesystem::path snapshot() const;
    std::filesystem::path catalogue() const;
    std::filesystem::path yt_catalogue() const;
};

FindOutputs find_outputs(const FindCommand& command);

/// The entry of the provenance that says whose outputs they are: the path from their directory to the input.
io::Provenance::value_type owner_of(const FindOutputs& outputs, const FindCommand& command);

/// Throws IoError where one of the outputs exists and was not made from the command's snapshot: two searches
/// in one folder do not replace each other's files.
void expect_own_outputs(const FindOutputs& outputs, const FindCommand& command);

}  // namespace aureole::cli
