// A vector register with the arithmetic of a number, so that formulas are written once for both.
// `Isa` is one of the wrappers simd::Baseline, simd::Avx2 and simd::Avx512 (baseline.hpp, avx2.hpp,
// avx512.hpp). They lie in unnamed namespaces, which keeps every instantiation out of other files, where the
// instructions may be missing.
#pragma once

#include <cstdint>

namespace aureole {

template <class T>
struct SameSizeInteger;
template <>
struct SameSizeInteger<float> {
    using type = std::int32_t;
};
template <>
struct SameSizeInteger<double> {
    using type = std::int64_t;
};

template <class Isa, class T>
struct Pack {
    using Integer = typename SameSizeInteger<T>::type;
    typedef T Raw __attribute__((vector_size(Isa::bytes)));
    typedef Integer Mask __attribute__((vector_size(Isa::bytes)));  ///< per lane all ones or all zeros
    static constexpr int lanes = Isa::bytes / static_cast<int>(sizeof(T));

    Raw v;

    Pack() = default;
    Pack(Raw raw) : v(raw) {}
    explicit Pack(double s) : v(static_cast<T>(s) - Raw{}) {}
    explicit Pack(float s) : v(static_cast<T>(s) - Raw{}) {}
    explicit Pack(int s) : v(static_cast<T>(s) - Raw{}) {}

    static Pack load(const T* from)
    {
        Pack result;
        __builtin_memcpy(&result.v, from, sizeof(Raw));
        return result;
    }
    void store(T* to) const { __builtin_memcpy(to, &v, sizeof(Raw)); }

    static Mask differs(const Integer* from, Integer value)
    {
        Mask values;
        __builtin_memcpy(&values, from, sizeof(Mask));
        return values != (value - Mask{});
    }

    friend Pack operator+(Pack a, Pack b) { return a.v + b.v; }
    friend Pack operator-(Pack a, Pack b) { return a.v - b.v; }
    friend Pack operator-(Pack a) { return -a.v; }
    friend Pack& operator+=(Pack& a, Pack b) { return a = a + b; }
    friend Pack& operator-=(Pack& a, Pack b) { return a = a - b; }
    friend Pack operator*(Pack a, Pack b) { return a.v * b.v; }
    friend Pack operator/(Pack a, Pack b) { return a.v / b.v; }
    friend Mask operator<(Pack a, Pack b) { return a.v < b.v; }
    friend Mask operator<=(Pack a, Pack b) { return a.v <= b.v; }
    friend Pack fma(Pack a, Pack b, Pack c) { return Isa::fma(a.v, b.v, c.v); }
    friend Pack select(Mask mask, Pack yes, Pack no) { return mask ? yes.v : no.v; }
    friend Pack min(Pack a, Pack b) { return a.v < b.v ? a.v : b.v; }
    friend Pack max(Pack a, Pack b) { return a.v > b.v ? a.v : b.v; }
};

/// to[lane] += unit * partial[lane] in double. By value: a partial sum in an object whose address is known
/// would be written to memory in every step of a loop.
template <class Isa, class T>
void add_lanes(Pack<Isa, T> partial, double unit, double* to)
{
    T part[Pack<Isa, T>::lanes];
    partial.store(part);
    for (int lane = 0; lane < Pack<Isa, T>::lanes; ++lane) to[lane] += unit * static_cast<double>(part[lane]);
}

}  // namespace aureole
