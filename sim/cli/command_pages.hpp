// What the program tells of its own commands from their one description: completion for shells, the manual
// page, and the name that a mistyped one is near to.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace aureole::cli {

/// A script that completes commands, options and the words that options take, files elsewhere. `shell` is
/// bash, zsh or fish; throws ArgumentError for another.
std::string completion_script(const CLI::App& app, std::string_view shell);

/// The page aureole(1) in the macros of man(7).
std::string manual_page(const CLI::App& app, std::string_view version);

/// "did you mean ...?" with the command, or the option of the command, that is at most two edits away from
/// the first word of the command line that is neither; empty where none is near.
std::string suggestion(const CLI::App& app, int argc, const char* const* argv);

}  // namespace aureole::cli
