// The three descriptors that every program starts with, made safe before anything is opened, and the check at
// the end that what was printed has arrived.
#pragma once

#include <string>

namespace aureole::cli {

/// Opens /dev/null for each of the descriptors 0 to 2 that the parent process has closed (`<&- >&-`). Without
/// this the next file that is opened gets the number of a missing one, and printed text lands inside it.
/// Throws IoError when /dev/null cannot be opened. Call it before any file is opened.
void open_missing_descriptors();

/// From now on a write beyond the limit on the size of files (`ulimit -f`) fails with "File too large", as
/// other failed writes do, and no longer ends the program without a word (SIGXFSZ).
void report_size_limits();

/// Prints to stdout. A failure is remembered for close_standard_output() and is no error now: a full disk or
/// a closed terminal must not end a run.
void print_text(const std::string& text) noexcept;

/// Flushes and closes stdout. Throws IoError with the reason of the system when not all that was printed
/// could be written; a pipe without a reader and a terminal that is gone are no failure: the reader
/// has ended that itself. Call it last.
void close_standard_output();

}  // namespace aureole::cli
