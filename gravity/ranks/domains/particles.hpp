// Particles of one part, and how arrays of them are put into messages.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>

#include "gravity/ranks/domains/shared_calls.hpp"
#include "sim/comm/parts.hpp"
#include "sim/core/error.hpp"
#include "sim/core/memory/counted_vector.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::gravity::domains {

template <class T>
using Array = memory::CountedVector<T>;

/// As CountedAllocator, but elements that are given no value are left as the memory is: threads that write
/// them share its new pages.
template <class T>
struct UntouchedAllocator : memory::CountedAllocator<T> {
    using value_type = T;
    template <class U>
    struct rebind {
        using other = UntouchedAllocator<U>;
    };
    UntouchedAllocator() = default;
    template <class U>
    UntouchedAllocator(const UntouchedAllocator<U>&) noexcept
    {
    }
    template <class U>
    void construct(U* at) noexcept
    {
        ::new (static_cast<void*>(at)) U;
    }
    template <class U, class... Values>
    void construct(U* at, Values&&... values)
    {
        ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
    }
};

/// An array whose elements have no value before they are given one.
template <class T>
using Untouched = std::vector<T, UntouchedAllocator<T>>;

/// What forces need of the particles that one part holds; host memory, internal units. Every array but
/// `potential` has size() entries.
struct DomainParticles {
    Untouched<double> x, y, z, mass;
    Untouched<double> ax, ay, az;  ///< of the last evaluation; zero where there was none
    Untouched<double> potential;   ///< of the last evaluation that was asked for it, else empty
    Untouched<std::uint64_t> id,
        serial;                     ///< serial: the place in the whole set, which no two particles share
    Untouched<std::uint32_t> work;  ///< counted in the last evaluation; zero where there was none
    Untouched<ParticleType> type;

    static constexpr std::size_t bytes_per_particle =
        7 * sizeof(double) + 2 * sizeof(std::uint64_t) + sizeof(std::uint32_t) + sizeof(ParticleType);

    std::size_t size() const noexcept { return serial.size(); }

    /// Calls visit(array of to, array of from) for all that moves with a particle.
    template <class To, class From, class Visit>
    static void for_each_array(To& to, From& from, Visit visit)
    {
        visit(to.x, from.x);
        visit(to.y, from.y);
        visit(to.z, from.z);
        visit(to.mass, from.mass);
        visit(to.ax, from.ax);
        visit(to.ay, from.ay);
        visit(to.az, from.az);
        visit(to.id, from.id);
        visit(to.serial, from.serial);
        visit(to.work, from.work);
        visit(to.type, from.type);
    }

    /// Memory for so many and some more, which may come.
    void reserve(std::size_t n)
    {
        for_each_array(*this, *this, [n](auto& array, auto&) { array.reserve(n + n / 64 + 1024); });
    }
    /// All of them zero.
    void resize(std::size_t n)
    {
        resize_untouched(0);
        resize_untouched(n);
        for_each_array(*this, *this, [n](auto& array, auto&) {
            auto* const to = array.data();
#pragma omp parallel for if (n > parallel_threshold)
            for (std::size_t k = 0; k < n; ++k) to[k] = {};
        });
    }
    /// For a caller who gives all of them values.
    void resize_untouched(std::size_t n)
    {
        for_each_array(*this, *this, [n](auto& array, auto&) { array.resize(n); });
        potential.clear();
    }

    ConstVec3View acceleration() const { return {ax.data(), ay.data(), az.data()}; }
    ConstParticlesView view() const
    {
        ConstParticlesView p{};
        p.n = static_cast<Index>(size());
        p.where = Backend::cpu;
        p.mass = mass.data();
        p.position = {x.data(), y.data(), z.data()};
        p.id = id.data();
        p.type = type.data();
        return p;
    }
};

/// Particle order[k] goes to place first + k.
inline void gather(const DomainParticles& from, std::span<const Index> order, DomainParticles& to,
                   std::size_t first)
{
    DomainParticles::for_each_array(to, from, [&](auto& into, const auto& array) {
#pragma omp parallel for if (order.size() > parallel_threshold)
        for (std::size_t k = 0; k < order.size(); ++k) into[first + k] = array[order[k]];
    });
}

/// Entry k of the result is particle order[k].
inline DomainParticles gathered(const DomainParticles& from, std::span<const Index> order)
{
    DomainParticles to;
    to.resize_untouched(order.size());
    gather(from, order, to, 0);
    return to;
}

/// Those of 0 to n - 1 for which is(i), ascending. Threads share the calls.
template <class Is>
std::vector<Index> indices_where(std::size_t n, Is is)
{
    constexpr std::size_t block = std::size_t{1} << 16;
    std::vector<std::vector<Index>> found((n + block - 1) / block);
    for_each_together(found.size(), n > parallel_threshold, [&](std::size_t b) {
        for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i)
            if (is(static_cast<Index>(i))) found[b].push_back(static_cast<Index>(i));
    });
    std::vector<Index> all;
    for (const std::vector<Index>& of : found) all.insert(all.end(), of.begin(), of.end());
    return all;
}

/// Appends arrays to a box.
class Writer {
public:
    explicit Writer(comm::Parts::Box& box) : box_(box) {}

    template <class T>
    void put(std::span<const T> values)
    {
        const std::uint64_t n = values.size();
        append(&n, sizeof n);
        append(values.data(), values.size_bytes());
    }
    template <class Values>
    void put(const Values& values)
    {
        put(std::span<const typename Values::value_type>(values.data(), values.size()));
    }

private:
    void append(const void* from, std::size_t bytes)
    {
        const auto* const begin = static_cast<const std::byte*>(from);
        box_.insert(box_.end(), begin, begin + bytes);
    }
    comm::Parts::Box& box_;
};

/// Takes them out in the same order.
class Reader {
public:
    explicit Reader(std::span<const std::byte> box) : rest_(box) {}

    bool is_done() const { return rest_.empty(); }

    /// Appends to `to`.
    template <class Values>
    void take(Values& to)
    {
        using T = typename Values::value_type;
        std::uint64_t n = 0;
        copy(&n, sizeof n);
        const std::size_t before = to.size();
        to.resize(before + n);
        copy(to.data() + before, n * sizeof(T));
    }
    template <class T>
    std::vector<T> take()
    {
        std::vector<T> values;
        take(values);
        return values;
    }

private:
    void copy(void* to, std::size_t bytes)
    {
        AUREOLE_EXPECT(bytes <= rest_.size(), "a message between parts ends {} bytes too early",
                       bytes - rest_.size());
        if (bytes > 0) std::memcpy(to, rest_.data(), bytes);
        rest_ = rest_.subspan(bytes);
    }
    std::span<const std::byte> rest_;
};

/// Particles [begin, end).
inline void put_particles(Writer& to, const DomainParticles& from, std::size_t begin, std::size_t end)
{
    DomainParticles::for_each_array(from, from, [&](const auto& array, const auto&) {
        using T = typename std::decay_t<decltype(array)>::value_type;
        to.put(std::span<const T>(array.data() + begin, end - begin));
    });
}
inline void take_particles(Reader& from, DomainParticles& to)
{
    DomainParticles::for_each_array(to, to, [&](auto& array, auto&) { from.take(array); });
}

}  // namespace aureole::gravity::domains
