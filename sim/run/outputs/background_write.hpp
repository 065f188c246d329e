// One write at a time in the background, while the next steps are computed.
#pragma once

#include <chrono>
#include <future>
#include <utility>

namespace aureole::run {

/// What a write throws is thrown by the next call of start() or wait(). While one uses the HDF5 library, no
/// other thread may, until wait() has returned.
class BackgroundWrite {
public:
    /// Waits for the previous write, then begins `write`, which owns its data or refers to data that stay
    /// valid.
    template <class Write>
    void start(Write write)
    {
        wait();
        pending_ = std::async(std::launch::async, std::move(write)).share();
    }

    /// Returns when nothing is being written.
    void wait()
    {
        if (const std::shared_future<void> write = std::exchange(pending_, {}); write.valid()) write.get();
    }

    bool busy() const { return pending_.valid(); }  ///< since the last wait()

    /// Whether a write has ended since the last wait(), which would return or throw at once.
    bool ended() const
    {
        return busy() && pending_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }

    /// What is being written, for others that wait for it in their threads; not valid where nothing is.
    const std::shared_future<void>& pending() const { return pending_; }

private:
    std::shared_future<void> pending_;  ///< the last of its copies waits in its destructor
};

}  // namespace aureole::run
