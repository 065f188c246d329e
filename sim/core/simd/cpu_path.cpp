#include "sim/core/simd/cpu_path.hpp"

#include <cstdlib>

#include "sim/core/error.hpp"

namespace aureole {
namespace {

bool machine_runs(CpuPath path)
{
#if defined(__x86_64__)
    if (path == CpuPath::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (path == CpuPath::avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#endif
    return path == CpuPath::baseline;
}

}  // namespace

const char* name_of(CpuPath path) noexcept
{
    switch (path) {
        case CpuPath::avx2:
            return "avx2";
        case CpuPath::avx512:
            return "avx512";
        default:
            return "baseline";
    }
}

std::vector<CpuPath> available_cpu_paths()
{
    std::vector<CpuPath> result;
    for (CpuPath path : {CpuPath::baseline, CpuPath::avx2, CpuPath::avx512})
        if (machine_runs(path)) result.push_back(path);
    return result;
}

CpuPath chosen_cpu_path()
{
    static const std::vector<CpuPath> available = available_cpu_paths();
    const char* asked = std::getenv("AUREOLE_SIMD");
    if (!asked || !*asked) return available.back();
    std::string names;
    for (CpuPath path : available) {
        if (std::string(asked) == name_of(path)) return path;
        names += (names.empty() ? "" : ", ") + std::string(name_of(path));
    }
    throw ConfigError(
        fmt::format("AUREOLE_SIMD is '{}'; this program on this machine knows: {}. "
                    "Set one of these, or leave it unset for the fastest.",
                    asked, names));
}

}  // namespace aureole
