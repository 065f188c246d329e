#include "sim/core/error.hpp"

#include "sim/core/progress.hpp"

namespace aureole {

void throw_argument_error(const std::string& message) { throw ArgumentError(message); }

void Progress::at(double fraction, std::string_view what) const
{
    if (report) report(fraction, what);
    if (stop && stop())
        throw Stopped(fmt::format("stopped on request at {:.0f} %: {}", 100 * fraction, what));
}

}  // namespace aureole
