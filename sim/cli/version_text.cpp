#include "sim/cli/version_text.hpp"

#include <fmt/format.h>

#include "sim/cli/version.hpp"
#include "sim/core/device.hpp"

namespace aureole::cli {

std::string version_brief() { return fmt::format("aureole {} ({})", AUREOLE_VERSION, AUREOLE_GIT_REVISION); }

std::string version_text()
{
    std::string text =
        fmt::format("aureole {}\ngit revision: {}\nC++ compiler: {}\nbuild type:   {}\n", AUREOLE_VERSION,
                    AUREOLE_GIT_REVISION, AUREOLE_CXX_COMPILER, AUREOLE_BUILD_TYPE);
    const std::string cuda = AUREOLE_CUDA_COMPILER;
    if (cuda.empty()) return text + "backends:     cpu (built without CUDA)";
    text +=
        fmt::format("CUDA compiler: {}\nbackends:     cpu, cuda ({} device(s) here)", cuda, device::count());
    return text;
}

run::Maker maker(const std::string& command_line)
{
    const std::string cuda = AUREOLE_CUDA_COMPILER;
    return {
        version_brief(), AUREOLE_GIT_REVISION,
        fmt::format("{}{} ({})", AUREOLE_CXX_COMPILER, cuda.empty() ? "" : ", " + cuda, AUREOLE_BUILD_TYPE),
        command_line};
}

}  // namespace aureole::cli
