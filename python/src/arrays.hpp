// Between arrays of numpy and the views and vectors of C++. The Python side has checked types and shapes:
// what comes here is one-dimensional, contiguous, on the host and of the type that stands here.
#pragma once

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "sim/core/particles.hpp"
#include "sim/core/table.hpp"

namespace aureole::python {

namespace nb = nanobind;

template <class T>
using Values = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = Values<double>;
template <class T>
using Maybe = std::optional<Values<T>>;

/// Particles whose arrays belong to Python. They are borrowed: nothing is copied.
class HostParticles {
public:
    HostParticles(Numbers x, Numbers y, Numbers z, Maybe<double> vx, Maybe<double> vy, Maybe<double> vz,
                  Maybe<double> mass, Maybe<std::uint64_t> id, Maybe<ParticleType> type);

    std::size_t size() const { return position_[0].shape(0); }

    /// Arrays that were not given are absent.
    ConstParticlesView view() const;

    /// A copy that owns its arrays: velocities that are absent are zero, ids the indices, types 1.
    Particles copy() const;

private:
    Numbers position_[3];
    Maybe<double> velocity_[3], mass_;
    Maybe<std::uint64_t> id_;
    Maybe<ParticleType> type_;
};

/// An array of numpy that owns `values`.
template <class T>
nb::object to_numpy(std::vector<T>&& values, std::vector<std::size_t> shape)
{
    auto* const owned = new std::vector<T>(std::move(values));
    const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    static T nothing{};
    T* const data = owned->empty() ? &nothing : owned->data();
    return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner));
}

template <class T>
nb::object to_numpy(std::vector<T>&& values)
{
    const std::size_t n = values.size();
    return to_numpy(std::move(values), {n});
}

/// Three columns as one array of shape (n, 3), from `first` on.
std::vector<double> rows_of(const Vec3Buffer& columns, std::size_t first, std::size_t n);

void bind_particles(nb::module_& module);

/// Per column (name, description, (length, mass, velocity), array (rows) or (rows, width)). The values are
/// taken out of `table`.
inline nb::list columns_of(Table&& table)
{
    nb::list columns;
    for (Column& column : table.columns) {
        std::vector<std::size_t> shape{table.rows};
        if (column.width > 1) shape.push_back(column.width);
        nb::object array =
            std::visit([&](auto& values) { return to_numpy(std::move(values), shape); }, column.values);
        const Dimension& d = column.dimension;
        columns.append(nb::make_tuple(nb::str(column.name.c_str()), nb::str(column.description.c_str()),
                                      nb::make_tuple(d.length, d.mass, d.velocity), array));
    }
    return columns;
}

}  // namespace aureole::python
