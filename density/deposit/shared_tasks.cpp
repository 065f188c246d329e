#include "density/deposit/shared_tasks.hpp"

#include <algorithm>

namespace aureole::density {
namespace {

constexpr std::size_t least_chunk = 64;  // tasks; fewer leave a device without enough to do
constexpr std::size_t items_at_once = 4;

}  // namespace

TaskRange SharedTasks::reserve()
{
    const std::lock_guard lock(mutex_);
    if (closed_) return {};
    const std::size_t left = back_ - front_;
    const TaskRange range{front_, front_ + std::min(left, std::max(least_chunk, left / 4))};
    front_ = range.end;
    return range;
}

void SharedTasks::restrict_to(std::size_t unused)
{
    const std::lock_guard lock(mutex_);
    front_ = unused;
}

std::optional<std::size_t> SharedTasks::take()
{
    const std::lock_guard lock(mutex_);
    if (closed_ || front_ == back_) return std::nullopt;
    return --back_;
}

void SharedTasks::open(std::size_t n)
{
    const std::lock_guard lock(mutex_);
    items_ = n;
    begun_ = ended_ = 0;
}

TaskRange SharedTasks::begin_items()
{
    const std::lock_guard lock(mutex_);
    if (closed_) return {};
    const TaskRange items{begun_, std::min(begun_ + items_at_once, items_)};
    begun_ = items.end;
    return items;
}

void SharedTasks::end_items(TaskRange items)
{
    const std::lock_guard lock(mutex_);
    ended_ += items.size();
}

bool SharedTasks::prepared() const
{
    const std::lock_guard lock(mutex_);
    return ended_ == items_;
}

void SharedTasks::close()
{
    const std::lock_guard lock(mutex_);
    closed_ = true;
}

bool SharedTasks::closed() const
{
    const std::lock_guard lock(mutex_);
    return closed_;
}

double SharedTasks::fraction_taken() const
{
    const std::lock_guard lock(mutex_);
    return n_ == 0 ? 1 : 1 - static_cast<double>(back_ - front_) / static_cast<double>(n_);
}

}  // namespace aureole::density
