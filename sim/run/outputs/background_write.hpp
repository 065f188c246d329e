// One write at a time in the background, while the next steps are computed.
#pragma once

#include <future>
#include <utility>

namespace aureole::run {

/// What a write throws is thrown by the next call of start() or wait(). No other thread may use the HDF5
/// library until wait() has returned.
class BackgroundWrite {
public:
    /// Waits for the previous write, then begins `write`, which owns its data or refers to data that stay
    /// valid.
    template <class Write>
    void start(Write write)
    {
        wait();
        pending_ = std::async(std::launch::async, std::move(write));
    }

    /// Returns when nothing is being written.
    void wait()
    {
        if (pending_.valid()) pending_.get();
    }

    bool busy() const { return pending_.valid(); }  ///< since the last wait()

private:
    std::future<void> pending_;  ///< its destructor waits
};

}  // namespace aureole::run
