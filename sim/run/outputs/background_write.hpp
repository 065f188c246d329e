// One write at a time beside the run: the disk works while the next steps are computed.
#pragma once

#include <future>
#include <utility>

namespace aureole::run {

/// What a write throws is thrown by the next call of either function. The HDF5 library must rest in other
/// threads until wait() has returned.
class BackgroundWrite {
public:
    /// Waits for the write before, then begins `write`, which owns what it needs or is sure that it stays.
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
