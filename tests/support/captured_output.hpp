// Standard output of this process redirected into a file for a while, whatever prints to it.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

namespace aureole::test {

class OutputTo {
public:
    /// `file` is made when it is not there.
    explicit OutputTo(const std::filesystem::path& file) : before_(::dup(STDOUT_FILENO))
    {
        std::fflush(stdout);
        const int other = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        ::dup2(other, STDOUT_FILENO);
        ::close(other);
    }
    ~OutputTo()
    {
        std::fflush(stdout);
        ::dup2(before_, STDOUT_FILENO);
        ::close(before_);
        std::clearerr(stdout);
    }
    OutputTo(const OutputTo&) = delete;
    OutputTo& operator=(const OutputTo&) = delete;

private:
    int before_;
};

}  // namespace aureole::test
