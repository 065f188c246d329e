#include "sim/run/device_choice.hpp"

#include <omp.h>

#include "sim/config/config_key.hpp"
#include "sim/core/device.hpp"
#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

DeviceChoice cuda_device(int number)
{
    device::select(number);
    return {Exec{Backend::cuda}, fmt::format("cuda:{} ({})", number, device::info(number).name)};
}

int device_number(const std::string& word)
{
    if (word == "cuda") return 0;
    try {
        const std::uint64_t number = parse_count(word.substr(5));
        if (number < 1024) return static_cast<int>(number);
    } catch (const ConfigError&) {
    }
    throw ConfigError(fmt::format("--device: found '{}', expected auto, cpu, cuda or cuda:N", word));
}

}  // namespace

DeviceChoice choose_device(const std::string& word)
{
    if (word == "cpu" || (word == "auto" && device::count() == 0)) {
        const int threads = omp_get_max_threads();
        return {Exec{}, fmt::format("cpu ({} thread{})", threads, threads == 1 ? "" : "s")};
    }
    if (word == "auto") return cuda_device(0);
    if (word != "cuda" && !word.starts_with("cuda:"))
        throw ConfigError(fmt::format("--device: found '{}', expected auto, cpu, cuda or cuda:N", word));
    const int number = device_number(word);
    if (!with_cuda)
        throw ConfigError(
            fmt::format("--device {}: this build has no CUDA backend; build where nvcc is found", word));
    if (number >= device::count())
        throw ConfigError(fmt::format("--device {}: {} CUDA device(s) answer here", word, device::count()));
    return cuda_device(number);
}

}  // namespace aureole::run
