// What one part of a run takes, as it forecasts it itself.
#pragma once

#include <cstddef>
#include <string>

namespace aureole::memory {

/// Bytes of one part of a run on the backend that computes, and on the host of a GPU. A run adds up what its
/// parts keep; of what they give back after an output, it needs the most at any one time.
struct Part {
    std::string what;          ///< as messages name it
    std::string knob;          ///< the setting that makes it smaller
    std::size_t kept = 0;      ///< from step to step, where the run computes
    std::size_t passing = 0;   ///< there too, while one output is made
    std::size_t host = 0;      ///< while one output is made, on the host of a GPU
    std::size_t transfer = 0;  ///< the largest copy between that host and the GPU at once
};

}  // namespace aureole::memory
