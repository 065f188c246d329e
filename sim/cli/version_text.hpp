// The identity of this program: version, git revision, compilers and backends.
#pragma once

#include <string>

#include "sim/run/run_provenance.hpp"

namespace aureole::cli {

std::string version_text();   ///< several lines, for --version
std::string version_brief();  ///< one line, for files

/// This program, for the provenance of the files that `command_line` writes.
run::Maker maker(const std::string& command_line);

}  // namespace aureole::cli
