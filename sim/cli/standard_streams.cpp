#include "sim/cli/standard_streams.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "sim/core/error.hpp"

namespace aureole::cli {
namespace {

int failure = 0;  // errno of the first print_text() that failed

/// A terminal that was closed answers EIO; a disk that does so has failed.
bool has_lost_its_reader(int reason)
{
    struct stat output {};
    const bool is_file = ::fstat(STDOUT_FILENO, &output) == 0 && S_ISREG(output.st_mode);
    return reason == EPIPE || (reason == EIO && !is_file);
}

}  // namespace

void open_missing_descriptors()
{
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
        // open() takes the lowest free number, which is this one: those below are open by now
        if (::open("/dev/null", O_RDWR) != descriptor)
            throw IoError(fmt::format("/dev/null: cannot be opened in place of the closed descriptor {}: {}",
                                      descriptor, std::strerror(errno)));
    }
}

void report_size_limits() { std::signal(SIGXFSZ, SIG_IGN); }

void print_text(const std::string& text) noexcept
{
    errno = 0;
    const bool printed = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
    if (!printed && failure == 0) failure = errno;
}

void close_standard_output()
{
    const bool failed_before = std::ferror(stdout) != 0;
    errno = 0;
    const bool flushed = std::fflush(stdout) == 0;
    int reason = failure != 0 ? failure : errno;
    const bool gone = has_lost_its_reader(reason);
    errno = 0;
    const bool closed = std::fclose(stdout) == 0;
    if (reason == 0) reason = errno;
    if ((!failed_before && flushed && closed) || gone) return;
    throw IoError(fmt::format(
        "the standard output could not be written in full: {}. What the command wrote into files is complete",
        reason != 0 ? std::strerror(reason) : "no reason given"));
}

}  // namespace aureole::cli
