// What this program is: version, git revision, compilers and backends.
#pragma once

#include <string>

namespace aureole::cli {

std::string version_text();   ///< several lines, for --version
std::string version_brief();  ///< one line, for files

}  // namespace aureole::cli
