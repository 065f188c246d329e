// The executable: reads the command line, calls the command, prints what went wrong. The only file that
// prints errors.
#include <cstdio>
#include <exception>

#include "sim/cli/commands.hpp"
#include "sim/cli/terminal_log.hpp"
#include "sim/io/utf8.hpp"

int main(int argc, char** argv)
{
    try {
        aureole::cli::open_missing_descriptors();
        aureole::cli::report_size_limits();
        const int status = aureole::cli::run_command_line(argc, argv);
        aureole::cli::close_standard_output();
        return status;
    } catch (const std::exception& error) {
        std::fflush(stdout);
        // messages quote names and values of files, which may hold anything
        std::fprintf(stderr, "aureole: %s\n", aureole::io::printable(error.what()).c_str());
        return 1;
    }
}
