// What benchmarks of points say, and how they end.
#pragma once

#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

namespace aureole::bench {

inline double median_ms(std::vector<double> seconds)
{
    std::sort(seconds.begin(), seconds.end());
    return 1e3 * seconds[seconds.size() / 2];
}

/// The exit status of `work`, whose complaint is printed with the program's name.
template <class Work>
int exit_status(const char* program, Work work)
{
    try {
        work();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", program, error.what());
        return 1;
    }
}

}  // namespace aureole::bench
