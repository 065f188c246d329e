// Masses and moments of many particles, added by all threads of a grid or of a block, bit for bit the same in
// any order.
#pragma once

#include "sim/core/sums/fixed_sum.hpp"
#include "sim/core/sums/warp_sums.cuh"
#include "sim/core/vec3.hpp"

namespace aureole {

/// What particles add up to, in MomentUnits. Zero when all bits are.
struct MomentTotals {
    FixedSum sum[4];             ///< of masses, and of masses times x, y, z
    std::uint64_t farthest;      ///< bits of the largest square of a distance, or of the largest coordinate
    std::uint64_t largest_mass;  ///< bits
    Index n;

    __device__ double reach2() const { return __longlong_as_double(static_cast<long long>(farthest)); }
    __device__ double most_mass() const { return __longlong_as_double(static_cast<long long>(largest_mass)); }
};

/// Masses and lengths are multiplied by powers of two, so that none is larger than 1.
struct MomentUnits {
    Vec3 origin;
    double mass, length;

    __device__ Vec3 mean(const MomentTotals& of) const
    {
        return mean(value(of.sum[0].whole()), value(of.sum[1].whole()), value(of.sum[2].whole()),
                    value(of.sum[3].whole()));
    }
    /// Of a mass and its moments, in units.
    __device__ Vec3 mean(double m, double x, double y, double z) const
    {
        if (!(m > 0)) return {};
        const double factor = 1 / m / length;
        return origin + factor * Vec3{x, y, z};
    }
    /// In units; quicker than the conversion of the compiler.
    __device__ static double value(Int128 fixed)
    {
        const Int128 size = fixed < 0 ? -fixed : fixed;
        const auto high = static_cast<double>(static_cast<long long>(size >> 64));
        const auto low = static_cast<double>(static_cast<unsigned long long>(size));
        const double result = __fma_rn(high, 0x1p64, low) * 0x1p-62;
        return fixed < 0 ? -result : result;
    }
};

/// A power of two that brings `largest` to between 1/2 and 1.
__device__ inline double unit_of(double largest)
{
    if (!(largest > 0) || !isfinite(largest)) return 1;
    const int exponent = -1 - ilogb(largest);
    return scalbn(1.0, exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent);
}

/// Bit for bit the same wherever it is asked for.
__device__ inline double distance2(Vec3 a, Vec3 b)
{
    const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return __fma_rn(x, x, __fma_rn(y, y, __dmul_rn(z, z)));
}

/// Sums of one thread, which start at zero: MomentSums sums{};
struct MomentSums {
    Int128 sum[4];  ///< of masses, and of masses times x, y, z
    Index n;
    double farthest, largest_mass;

    __device__ void add(const MomentUnits& units, double m, Vec3 at)
    {
        const double scaled = m * units.mass;
        const Vec3 d = at - units.origin;
        ++n;
        sum[0] += to_fixed(scaled);
        sum[1] += to_fixed(scaled * (d.x * units.length));
        sum[2] += to_fixed(scaled * (d.y * units.length));
        sum[3] += to_fixed(scaled * (d.z * units.length));
    }

    /// Adds those of all threads of a block to the totals of the grid. All of its threads call.
    template <unsigned threads>
    __device__ void add_to(MomentTotals* totals)
    {
        constexpr unsigned warps = threads / 32;
        __shared__ MomentSums part[warps];
        const bool any = n != 0 || farthest > 0 || largest_mass > 0;
        if (!__syncthreads_or(any)) return;
        const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        if (__any_sync(0xffffffffu, any)) add_over_lanes<16>();
        if (lane == 0) part[warp] = *this;
        __syncthreads();
        if (warp > 0) return;
        MomentSums all = lane < warps ? part[lane] : MomentSums{};
        all.add_over_lanes<warps / 2>();
        const Int128 mine =
            lane < 2 ? (lane == 0 ? all.sum[0] : all.sum[1]) : (lane == 2 ? all.sum[2] : all.sum[3]);
        if (lane < 4)
            atomic_add_whole(&totals->sum[lane], mine);
        else if (lane == 4 && all.n > 0)
            atomic_add(&totals->n, all.n);
        else if (lane == 5 && all.farthest > 0)
            atomic_max(&totals->farthest, bits(all.farthest));
        else if (lane == 6 && all.largest_mass > 0)
            atomic_max(&totals->largest_mass, bits(all.largest_mass));
    }

    /// Sums and count of all lanes of a warp, in each of them.
    __device__ void add_over_warp() { add_over_lanes<16>(); }

    /// Sums and count of all threads of the block before this one. All of its threads call.
    template <unsigned threads>
    __device__ MomentSums before_in_block() const
    {
        __shared__ MomentSums part[threads / 32];
        const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        MomentSums until = *this;
#pragma unroll
        for (int step = 1; step < 32; step *= 2) {
            MomentSums other;
#pragma unroll
            for (unsigned k = 0; k < 4; ++k) other.sum[k] = lane_before(until.sum[k], step);
            other.n = __shfl_up_sync(0xffffffffu, until.n, step);
            if (static_cast<int>(lane) >= step) until.add_sums(other);
        }
        if (lane == 31) part[warp] = until;
        __syncthreads();
        for (unsigned w = 0; w < warp; ++w) until.add_sums(part[w]);
#pragma unroll
        for (unsigned k = 0; k < 4; ++k) until.sum[k] -= sum[k];
        until.n -= n;
        return until;
    }

private:
    __device__ void add_sums(const MomentSums& other)
    {
#pragma unroll
        for (unsigned k = 0; k < 4; ++k) sum[k] += other.sum[k];
        n += other.n;
    }
    /// Lanes that differ by less than 2 `most` have their sum then.
    template <unsigned most>
    __device__ void add_over_lanes()
    {
#pragma unroll
        for (unsigned step = most; step > 0; step /= 2) {
#pragma unroll
            for (unsigned k = 0; k < 4; ++k) sum[k] += other_lane(sum[k], step);
            n += __shfl_xor_sync(0xffffffffu, n, step);
            farthest = fmax(farthest, __shfl_xor_sync(0xffffffffu, farthest, step));
            largest_mass = fmax(largest_mass, __shfl_xor_sync(0xffffffffu, largest_mass, step));
        }
    }
    __device__ static std::uint64_t bits(double x)
    {
        return static_cast<std::uint64_t>(__double_as_longlong(x));
    }

    __device__ static Int128 other_lane(Int128 value, int step)
    {
        const auto low = __shfl_xor_sync(0xffffffffu, static_cast<unsigned long long>(value), step);
        const auto high = __shfl_xor_sync(0xffffffffu, static_cast<long long>(value >> 64), step);
        return (static_cast<Int128>(high) << 64) + low;
    }
    __device__ static Int128 lane_before(Int128 value, int step)
    {
        const auto low = __shfl_up_sync(0xffffffffu, static_cast<unsigned long long>(value), step);
        const auto high = __shfl_up_sync(0xffffffffu, static_cast<long long>(value >> 64), step);
        return (static_cast<Int128>(high) << 64) + low;
    }
    __device__ static void atomic_add_whole(FixedSum* to, Int128 value)
    {
        const auto low = static_cast<std::uint64_t>(value);
        const std::uint64_t before = atomic_add(&to->low, low);
        const auto high = static_cast<std::int64_t>(value >> 64) + (before + low < before ? 1 : 0);
        if (high != 0) atomic_add(&to->high, high);
    }
};

/// The sums and the count of MomentSums over a block, for its first warp: what it waits for is short, since
/// numbers travel in parts of 23 bits, which the lanes of a warp add in one instruction (sm_80).
template <unsigned threads>
class BlockMoments {
public:
    /// First all threads of the block call this, and meet. Sums are below 2^91.
    __device__ void put(const MomentSums& of)
    {
        const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        if (!__any_sync(all, of.n > 0)) {
            if (lane < n_words) word_[warp][lane] = 0;
            return;
        }
#pragma unroll
        for (unsigned k = 0; k < 4; ++k)
#pragma unroll
            for (unsigned part = 0; part < n_parts; ++part) {
                const unsigned bits = static_cast<unsigned>(of.sum[k] >> bits_of_part * part) & mask;
                const unsigned sum = sum_of_lanes(bits);
                if (lane == 0) word_[warp][n_parts * k + part] = sum;
            }
        const unsigned n = sum_of_lanes(of.n);
        if (lane == 0) word_[warp][n_words - 1] = n;
    }
    /// Then the first warp: the sum of number `lane` % 4, and the count in every lane.
    __device__ Int128 get(Index& n) const
    {
        const unsigned lane = threadIdx.x % 32;
        unsigned word = 0;
        if (lane < n_words)
            for (unsigned warp = 0; warp < threads / 32; ++warp) word += word_[warp][lane];
        n = __shfl_sync(all, word, n_words - 1);
        UInt128 sum = 0;
        for (unsigned part = 0; part < n_parts; ++part) {
            const unsigned of = __shfl_sync(all, word, n_parts * (lane % 4) + part);
            sum += static_cast<UInt128>(of) << bits_of_part * part;
        }
        constexpr unsigned above = 128 - bits_of_part * n_parts;
        return static_cast<Int128>(sum << above) >> above;  // with its sign
    }

private:
    static constexpr unsigned all = 0xffffffffu, bits_of_part = 23, n_parts = 4, n_words = 4 * n_parts + 1;
    static constexpr unsigned mask = (1u << bits_of_part) - 1;
    static_assert(std::uint64_t{threads} * mask < 1ull << 32);
    __extension__ using UInt128 = unsigned __int128;

    __device__ static unsigned sum_of_lanes(unsigned x)
    {
#if __CUDA_ARCH__ >= 800
        return __reduce_add_sync(all, x);
#else
        return sum_of_warp(x);
#endif
    }

    unsigned word_[threads / 32][n_words];
};

}  // namespace aureole
