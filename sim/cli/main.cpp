// The executable: reads the command line, calls the command, prints what went wrong. The only file that
// prints errors.
#include <cstdio>
#include <exception>

#include "sim/cli/command_line.hpp"

int main(int argc, char** argv)
{
    try {
        return aureole::cli::run_command_line(argc, argv);
    } catch (const std::exception& error) {
        std::fflush(stdout);
        std::fprintf(stderr, "aureole: %s\n", error.what());
        return 1;
    }
}
