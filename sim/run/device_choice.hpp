// The device that `--device auto|cpu|cuda|cuda:N` names.
#pragma once

#include <string>

#include "sim/core/backend.hpp"

namespace aureole::run {

struct DeviceChoice {
    Exec exec;
    std::string description;  ///< "cpu (8 threads, avx512)", "cuda:0 (NVIDIA H200)"
};

/// `auto` takes the first CUDA device, or the CPU where there is none. Throws ConfigError for another word,
/// and for a CUDA device that is named and not available: the CPU never takes its place.
DeviceChoice choose_device(const std::string& word);

}  // namespace aureole::run
