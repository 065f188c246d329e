// Numbers of an array of another library, of any type and stride, to columns of our own and back to rows, in
// the memory of one backend. Cost O(n), one pass each; nothing is waited for but where a result is returned.
#pragma once

#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole {

enum class NumberType : std::uint8_t {
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64
};

constexpr bool is_float(NumberType type)
{
    return type == NumberType::float32 || type == NumberType::float64;
}

/// `n` values in the memory of a backend; value i is `stride` bytes behind value i - 1, which may be
/// negative, and 0 for one value that stands for all. Addresses are multiples of the size of a value.
struct StridedValues {
    const void* data = nullptr;
    Index n = 0;
    std::ptrdiff_t stride = 0;
    NumberType type = NumberType::float64;
};

/// As doubles; float32 and integers up to 2^53 keep their values.
void widen(Exec exec, const StridedValues& from, double* to);

/// Integers as the bits of 64-bit ones: negative values become 2^64 less their absolute value.
/// Throws ArgumentError for float32 and float64.
void widen(Exec exec, const StridedValues& from, std::uint64_t* to);

/// What first_beyond() gives where no value is beyond.
inline constexpr std::uint64_t no_value = ~std::uint64_t{0};

/// The index of the first value that is not finite, or that is below `least`; no_value for none. Waits for
/// it: eight bytes come to the host.
std::uint64_t first_beyond(Exec exec, const double* values, Index n, double least);

/// The same for integers above `most`.
std::uint64_t first_beyond(Exec exec, const std::uint64_t* values, Index n, std::uint64_t most);

/// Particle types from integers of at most 255.
void narrow(Exec exec, const std::uint64_t* from, Index n, ParticleType* to);

/// Row i of `rows`, an array (n, 3), is `factor` times the i-th vector.
void interleave(Exec exec, const ConstVec3View& from, Index n, double factor, double* rows);

/// Into a periodic box, in place.
void wrap_values(Exec exec, const Box& box, double* values, Index n);

/// 0, 1, 2, ...
void count_up(Exec exec, std::uint64_t* values, Index n);

/// Multiplies in place.
void scale_values(Exec exec, double* values, Index n, double factor);

namespace detail {
// strided_values_dual.cpp; `first`, in the memory of the backend, is lowered as by find_beyond_limits()
void widen_integers(Exec exec, const StridedValues& from, std::uint64_t* to);
void find_beyond(Exec exec, const double* values, Index n, double least, std::uint64_t* first);
void find_beyond(Exec exec, const std::uint64_t* values, Index n, std::uint64_t most, std::uint64_t* first);
}  // namespace detail

}  // namespace aureole
