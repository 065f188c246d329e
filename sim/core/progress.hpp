// How long work says how far it has come, and how its caller stops it. Libraries print nothing and catch no
// signal: the caller decides what a report looks like and when to stop.
#pragma once

#include <functional>
#include <string_view>

namespace aureole {

/// The callbacks of one call; either may be absent. They are called by the thread that called the library,
/// between phases and blocks of work, never from inside a parallel loop.
struct Progress {
    /// `fraction` of the work done, 0 to 1 and never falling; `what` is done next, in a few words.
    std::function<void(double fraction, std::string_view what)> report{};
    std::function<bool()> stop{};  ///< whether to stop now

    /// Reports; throws Stopped where stop() says so.
    void at(double fraction, std::string_view what) const;

    /// For work that is the part [begin, end] of the whole.
    Progress part(double begin, double end) const
    {
        Progress inner{{}, stop};
        if (report)
            inner.report = [outer = report, begin, end](double fraction, std::string_view what) {
                outer(begin + (end - begin) * fraction, what);
            };
        return inner;
    }
};

}  // namespace aureole
