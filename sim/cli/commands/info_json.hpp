// What `aureole info --json` prints, and what it shares with `aureole info`.
#pragma once

#include <filesystem>
#include <string>

#include "sim/config/quantity.hpp"
#include "sim/io/provenance.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::cli {

enum class FileKind { run, picture, checkpoint, catalogue, coefficients, other, snapshot };

/// By content, never by name.
FileKind kind_of(const std::filesystem::path& file);

/// Units that other commands ask for are here a note, and numbers are shown as they are.
run::RunUnits units_or_note(io::Snapshot& snapshot);

io::Provenance provenance_of_file(const std::filesystem::path& file);

std::string devices_json();

/// One object; "kind" says which names follow.
std::string info_json(const std::filesystem::path& file);

}  // namespace aureole::cli
