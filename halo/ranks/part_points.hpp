// Points of one part, as parts exchange them.
#pragma once

#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "sim/comm/parts.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::halo {

inline constexpr std::size_t few = 4096;  ///< points that one thread looks at sooner than several begin

/// The part that a point takes in the search.
enum class Role : std::uint8_t {
    joins,  ///< the group of its nearest linking point
    links,
    stays_alone
};

/// Positions are wrapped into the box; velocities are empty in space.
struct PartPoints {
    std::array<std::vector<double>, 3> position, velocity;
    std::vector<std::uint64_t> id, serial;
    std::vector<Role> role;

    std::size_t size() const { return id.size(); }
    Vec3 at(std::size_t k) const { return {position[0][k], position[1][k], position[2][k]}; }

    bool has_velocities() const { return !velocity[0].empty(); }

    /// Calls act(array of this, array of the other) for each of them.
    template <class Other, class Act>
    void for_each_array(Other& other, bool with_velocities, Act act)
    {
        for (std::size_t axis = 0; axis < 3; ++axis) act(position[axis], other.position[axis]);
        for (std::size_t axis = 0; axis < 3 && with_velocities; ++axis)
            act(velocity[axis], other.velocity[axis]);
        act(id, other.id);
        act(serial, other.serial);
        act(role, other.role);
    }

    void reserve(std::size_t n, bool with_velocities)
    {
        for_each_array(*this, with_velocities, [n](auto& array, auto&) { array.reserve(n); });
    }

    /// Those that `list` names, in its order.
    PartPoints gathered(std::span<const Index> list) const
    {
        PartPoints to;
        to.for_each_array(*this, has_velocities(), [&](auto& into, const auto& from) {
            into.resize(list.size());
            for (std::size_t k = 0; k < list.size(); ++k) into[k] = from[list[k]];
        });
        return to;
    }
};

/// Calls work(k, part) for each part that is held here, the k-th of them. Collective: what it throws becomes
/// an error on all ranks.
template <class Work>
void on_parts(comm::Parts& parts, Work work, comm::Place place = comm::Place::current())
{
    parts.agreed_phase(
        [&](int part, int k) { work(static_cast<std::size_t>(k), static_cast<std::size_t>(part)); }, place);
}

template <class T>
void pack(comm::Parts::Box& to, std::span<const T> values)
{
    const auto bytes = std::as_bytes(values);
    to.insert(to.end(), bytes.begin(), bytes.end());
}

template <class T>
void pack_one(comm::Parts::Box& to, const T& value)
{
    pack(to, std::span(&value, 1));
}

/// Puts the values, of which `bytes` are those, behind those of `to`.
template <class T>
void append(std::vector<T>& to, std::span<const std::byte> bytes)
{
    const std::size_t before = to.size();
    to.resize(before + bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(to.data() + before, bytes.data(), bytes.size());
}

template <class T>
std::vector<T> values_of(std::span<const std::byte> bytes)
{
    std::vector<T> values;
    append(values, bytes);
    return values;
}

constexpr std::size_t bytes_of_point(bool with_velocities)
{
    return (with_velocities ? 6 : 3) * sizeof(double) + 2 * sizeof(std::uint64_t) + sizeof(Role);
}

/// In one box, array after array; `more` bytes can be appended without a new allocation.
inline comm::Parts::Box packed(const PartPoints& points, std::size_t more = 0)
{
    comm::Parts::Box box;
    box.reserve(points.size() * bytes_of_point(points.has_velocities()) + more);
    PartPoints unused;
    unused.for_each_array(points, points.has_velocities(),
                          [&](auto&, const auto& from) { pack(box, std::span(from)); });
    return box;
}

/// Appends those of such a box; returns how many.
inline std::size_t append_packed(PartPoints& to, std::span<const std::byte> box, bool with_velocities)
{
    const std::size_t n = box.size() / bytes_of_point(with_velocities);
    std::span<const std::byte> rest = box;
    to.for_each_array(to, with_velocities, [&](auto& into, auto&) {
        const std::size_t bytes = n * sizeof(into[0]);
        append(into, rest.first(bytes));
        rest = rest.subspan(bytes);
    });
    return n;
}

}  // namespace aureole::halo
