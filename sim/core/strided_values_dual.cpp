#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/strided_values.hpp"

namespace aureole {
namespace {

template <class From, class To>
void widen_as(Exec exec, const StridedValues& from, To* to)
{
    const auto* const data = static_cast<const char*>(from.data);
    const std::ptrdiff_t stride = from.stride;
    for_each(exec, from.n, [=] AUREOLE_HD(Index i) {
        to[i] =
            static_cast<To>(*reinterpret_cast<const From*>(data + static_cast<std::ptrdiff_t>(i) * stride));
    });
}

template <class To>
void widen_any(Exec exec, const StridedValues& from, To* to)
{
    switch (from.type) {
        case NumberType::float32:
            return widen_as<float>(exec, from, to);
        case NumberType::float64:
            return widen_as<double>(exec, from, to);
        case NumberType::int8:
            return widen_as<std::int8_t>(exec, from, to);
        case NumberType::int16:
            return widen_as<std::int16_t>(exec, from, to);
        case NumberType::int32:
            return widen_as<std::int32_t>(exec, from, to);
        case NumberType::int64:
            return widen_as<std::int64_t>(exec, from, to);
        case NumberType::uint8:
            return widen_as<std::uint8_t>(exec, from, to);
        case NumberType::uint16:
            return widen_as<std::uint16_t>(exec, from, to);
        case NumberType::uint32:
            return widen_as<std::uint32_t>(exec, from, to);
        case NumberType::uint64:
            return widen_as<std::uint64_t>(exec, from, to);
    }
}

}  // namespace

void widen(Exec exec, const StridedValues& from, double* to) { widen_any(exec, from, to); }

void detail::widen_integers(Exec exec, const StridedValues& from, std::uint64_t* to)
{
    widen_any(exec, from, to);
}

void detail::find_beyond(Exec exec, const double* values, Index n, double least, std::uint64_t* first)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) {
        const double value = values[i];
        if (!(value - value == 0) || value < least) atomic_min_of_few(first, std::uint64_t{i});
    });
}

void detail::find_beyond(Exec exec, const std::uint64_t* values, Index n, std::uint64_t most,
                         std::uint64_t* first)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) {
        if (values[i] > most) atomic_min_of_few(first, std::uint64_t{i});
    });
}

void narrow(Exec exec, const std::uint64_t* from, Index n, ParticleType* to)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) { to[i] = static_cast<ParticleType>(from[i]); });
}

void interleave(Exec exec, const ConstVec3View& from, Index n, double factor, double* rows)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) {
        const Vec3 row = factor * from.load(i);
        rows[3 * std::size_t{i}] = row.x;
        rows[3 * std::size_t{i} + 1] = row.y;
        rows[3 * std::size_t{i} + 2] = row.z;
    });
}

void wrap_values(Exec exec, const Box& box, double* values, Index n)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) { values[i] = box.wrap(values[i]); });
}

void count_up(Exec exec, std::uint64_t* values, Index n)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) { values[i] = i; });
}

void scale_values(Exec exec, double* values, Index n, double factor)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) { values[i] *= factor; });
}

}  // namespace aureole
