// --device auto|cpu|cuda|cuda:N: from the word to where things run.
#pragma once

#include <string>

#include "sim/core/backend.hpp"

namespace aureole::run {

struct DeviceChoice {
    Exec exec;
    std::string description;  ///< "cpu (8 threads, avx512)", "cuda:0 (NVIDIA H200)"
};

/// auto takes the first CUDA device where there is one. A CUDA device that was asked for and does not answer
/// is a ConfigError that says why; it never falls back.
DeviceChoice choose_device(const std::string& word);

}  // namespace aureole::run
