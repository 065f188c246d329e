// The command line, read with CLI11 in one file.
#pragma once

namespace aureole::cli {

/// Parses and runs; returns the exit status. Prints help and usage errors itself, throws what commands throw.
int run_command_line(int argc, char** argv);

}  // namespace aureole::cli
