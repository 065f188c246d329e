#include "sim/run/run_provenance.hpp"

#include <fmt/chrono.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "sim/core/device.hpp"
#include "sim/io/utf8.hpp"

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

/// CUDA's versions, and that of the kernel module, which only the file in /proc names.
std::string driver_of(const DeviceChoice& device)
{
    if (device.exec.backend == Backend::cpu) return "none";
    std::ifstream in("/proc/driver/nvidia/version");
    std::string module;
    std::getline(in, module);
    return device::driver() + (module.empty() ? "" : "; " + module);
}

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

/// Letters, digits and marks that mean themselves anywhere in a word, and what is beyond ASCII.
bool is_plain(unsigned char c)
{
    constexpr std::string_view marks = "_@%+=:,./-";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80 ||
           marks.find(static_cast<char>(c)) != std::string_view::npos;
}

std::string with_escapes(std::string_view word)
{
    std::string text = "$'";
    for (const char c : word)
        if (const auto byte = static_cast<unsigned char>(c); is_control(byte) || byte >= 0x80)
            text += fmt::format("\\x{:02x}", static_cast<unsigned>(byte));
        else if (c == '\\' || c == '\'')
            text += {'\\', c};
        else
            text += c;
    return text + "'";
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

std::string shell_word(std::string_view word)
{
    if (std::ranges::any_of(word, is_control) || io::valid_utf8(word) != word) return with_escapes(word);
    if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
    std::string text = "'";
    for (const char c : word)
        if (c == '\'')
            text += R"('\'')";
        else
            text += c;
    return text + "'";
}

}  // namespace aureole::run
