// An owning array in the memory of one backend. Copies between memories are always visible in the code.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/core/backend.hpp"
#include "sim/core/device.hpp"
#include "sim/core/error.hpp"
#include "sim/core/memory/ledger.hpp"

namespace aureole {

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Buffer() = default;

    /// Uninitialised storage for `n` elements.
    Buffer(Backend where, std::size_t n)
        : where_(where), size_(n), data_(static_cast<T*>(memory::allocate(where, n, sizeof(T))))
    {
    }

    /// A copy of host values.
    Buffer(Backend where, std::span<const T> values) : Buffer(where, values.size())
    {
        copy_elements(*this, Backend::cpu, values.data());
    }

    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept
    {
        swap(other);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { memory::release(where_, data_, size_ * sizeof(T)); }

    std::size_t size() const noexcept { return size_; }
    Backend where() const noexcept { return where_; }
    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }

    /// Elements as a span; throws unless the buffer lives in host memory.
    std::span<T> host()
    {
        AUREOLE_EXPECT(where_ == Backend::cpu, "host access to a {} buffer", name_of(where_));
        return {data_, size_};
    }
    std::span<const T> host() const
    {
        AUREOLE_EXPECT(where_ == Backend::cpu, "host access to a {} buffer", name_of(where_));
        return {data_, size_};
    }

    Buffer copy_to(Backend where) const
    {
        Buffer result(where, size_);
        copy_elements(result, where_, data_);
        return result;
    }

    /// The elements in host memory, wherever the buffer lives.
    std::vector<T> to_vector() const
    {
        std::vector<T> result(size_);
        if (size_ == 0) return result;
        if (where_ == Backend::cpu)
            std::copy(data_, data_ + size_, result.begin());
        else
            device::copy(result.data(), data_, size_ * sizeof(T));
        return result;
    }

    /// For scratch: at least `n` elements on `where`, contents lost when it has to grow or move.
    void require(Backend where, std::size_t n)
    {
        if (where_ == where && size_ >= n) return;
        *this = Buffer();  // release first: the peak holds one copy
        *this = Buffer(where, n);
    }

private:
    static void copy_elements(Buffer& to, Backend from_where, const T* from)
    {
        if (to.size_ == 0) return;
        if (from_where == Backend::cpu && to.where_ == Backend::cpu) {
            std::copy(from, from + to.size_, to.data_);
            return;
        }
        device::copy(to.data_, from, to.size_ * sizeof(T));
        // a copy from pageable memory returns when the elements are staged, before they arrive: no stream
        // may read them earlier
        if (from_where == Backend::cpu) device::synchronize();
    }
    void swap(Buffer& other) noexcept
    {
        std::swap(where_, other.where_);
        std::swap(size_, other.size_);
        std::swap(data_, other.data_);
    }

    Backend where_ = Backend::cpu;
    std::size_t size_ = 0;
    T* data_ = nullptr;
};

}  // namespace aureole
