#include "sim/core/strided_values.hpp"

#include "sim/core/buffer.hpp"

namespace aureole {
namespace {

template <class T>
std::uint64_t first_of(Exec exec, const T* values, Index n, T limit)
{
    if (n == 0) return no_value;
    Buffer<std::uint64_t> first(exec.backend, std::span(&no_value, 1));
    detail::find_beyond(exec, values, n, limit, first.data());
    if (exec.backend == Backend::cuda) device::wait(exec.stream);
    return first.to_vector()[0];
}

}  // namespace

void widen(Exec exec, const StridedValues& from, std::uint64_t* to)
{
    AUREOLE_EXPECT(!is_float(from.type), "found float numbers, expected integers");
    detail::widen_integers(exec, from, to);
}

std::uint64_t first_beyond(Exec exec, const double* values, Index n, double least)
{
    return first_of(exec, values, n, least);
}

std::uint64_t first_beyond(Exec exec, const std::uint64_t* values, Index n, std::uint64_t most)
{
    return first_of(exec, values, n, most);
}

}  // namespace aureole
