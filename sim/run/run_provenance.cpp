#include "sim/run/run_provenance.hpp"

#include <fmt/chrono.h>
#include <sys/utsname.h>

#include <chrono>
#include <fstream>

#include "sim/core/device.hpp"

namespace aureole::run {
namespace {

std::string processor()
{
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("model name"))
            if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
    return "unknown";
}

/// CUDA's versions, and that of the kernel module, which only it knows.
std::string driver_of(const DeviceChoice& device)
{
    if (device.exec.backend == Backend::cpu) return "none";
    std::ifstream in("/proc/driver/nvidia/version");
    std::string module;
    std::getline(in, module);
    return device::driver() + (module.empty() ? "" : "; " + module);
}

}  // namespace

io::Provenance provenance_of(const Maker& maker, const DeviceChoice& device)
{
    utsname system{};
    const bool known = uname(&system) == 0;
    const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    return {{"Version", maker.version},
            {"GitRevision", maker.revision},
            {"Compilers", maker.compilers},
            {"CommandLine", maker.command_line},
            {"Begun",
             fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)))},
            {"Host", known ? system.nodename : "unknown"},
            {"System",
             known ? fmt::format("{} {} {}", system.sysname, system.release, system.machine) : "unknown"},
            {"Processor", processor()},
            {"Device", device.description},
            {"Driver", driver_of(device)}};
}

}  // namespace aureole::run
