// Who does what when a GPU and threads of the host share a list of tasks: the GPU is fed from the list's
// front, in chunks that threads prepare together, item by item; a thread that finds nothing to prepare takes
// a task from the back. So both reach the end at nearly the same time, whichever is faster.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>

namespace aureole::density {

/// Numbers begin .. end - 1.
struct TaskRange {
    std::size_t begin = 0, end = 0;

    std::size_t size() const { return end - begin; }
};

class SharedTasks {
public:
    explicit SharedTasks(std::size_t n) : n_(n), back_(n) {}

    /// For the thread that feeds the device: a quarter of what is left, or all of it when that is little; a
    /// slow device does not hold up the end then. Those from `unused` on go back by restrict_to().
    TaskRange reserve();
    void restrict_to(std::size_t unused);
    /// For other threads; none when all tasks are taken.
    std::optional<std::size_t> take();

    /// The next chunk has `n` items to prepare; those of the one before are prepared.
    void open(std::size_t n);
    /// A few that nobody has begun; of no size when there are none.
    TaskRange begin_items();
    void end_items(TaskRange items);
    bool prepared() const;

    /// From now on nobody is given anything: there is nothing left, or something has failed.
    void close();
    bool closed() const;

    double fraction_taken() const;

private:
    mutable std::mutex mutex_;
    std::size_t n_, front_ = 0, back_;
    std::size_t items_ = 0, begun_ = 0, ended_ = 0;
    bool closed_ = false;
};

}  // namespace aureole::density
