#include "sim/core/random.hpp"

#include <Random123/philox.h>

#include <cmath>

#include "sim/core/numerics/portable_math.hpp"

namespace aureole {
namespace {

constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

}  // namespace

std::array<std::uint32_t, 4> philox_block(std::array<std::uint32_t, 4> counter,
                                          std::array<std::uint32_t, 2> key)
{
    const r123::Philox4x32::ctr_type c = {{counter[0], counter[1], counter[2], counter[3]}};
    const r123::Philox4x32::key_type k = {{key[0], key[1]}};
    const r123::Philox4x32::ctr_type bits = r123::Philox4x32()(c, k);
    return {bits[0], bits[1], bits[2], bits[3]};
}

double Random::uniform()
{
    std::uint64_t bits = spare_;
    if (!has_spare_) {
        const auto b = philox_block({low(id_), high(id_), purpose_, block_++}, {low(seed_), high(seed_)});
        bits = std::uint64_t{b[1]} << 32 | b[0];
        spare_ = std::uint64_t{b[3]} << 32 | b[2];
    }
    has_spare_ = !has_spare_;
    // 52 bits and a fixed one below them: 53 free bits plus a half would round up to 1
    return static_cast<double>(bits >> 12 << 1 | 1) * 0x1p-53;
}

double Random::normal()
{
    const double radius = std::sqrt(-2 * portable::log(uniform()));
    return radius * portable::sin_cos_of_turns(uniform()).cos;
}

Vec3 Random::direction()
{
    const double z = 2 * uniform() - 1;
    const double rho = std::sqrt((1 - z) * (1 + z));
    const portable::SinCos phi = portable::sin_cos_of_turns(uniform());
    return {rho * phi.cos, rho * phi.sin, z};
}

}  // namespace aureole
