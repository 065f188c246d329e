#include "sim/run/diagnostics/state_hash.hpp"

#include <bit>

namespace aureole::run {
namespace {

constexpr std::uint64_t key = 0x243f6a8885a308d3;  ///< where every chain begins: digits of pi

/// A permutation of the 64-bit numbers that spreads every bit over all.
std::uint64_t mixed(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/// In the sequence of the words, so that exchanged values count.
class Chain {
public:
    explicit Chain(std::uint64_t start) : state_(mixed(start)) {}
    void add(std::uint64_t word) { state_ = mixed(state_ ^ word); }
    void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
    void add(Vec3 v)
    {
        add(v.x);
        add(v.y);
        add(v.z);
    }
    std::uint64_t value() const { return state_; }

private:
    std::uint64_t state_;
};

}  // namespace

std::uint64_t state_hash(const Particles& host)
{
    AUREOLE_EXPECT(host.where() == Backend::cpu, "a hash needs host particles, got {}",
                   name_of(host.where()));
    const std::size_t n = host.size();
    std::uint64_t sum = mixed(key ^ n);
#pragma omp parallel for reduction(+ : sum) if (n > parallel_threshold)
    for (std::size_t i = 0; i < n; ++i) {
        Chain chain(key);
        chain.add(host.id.data()[i]);
        chain.add(std::uint64_t{host.type.data()[i]});
        chain.add(host.mass.data()[i]);
        chain.add(host.position.load(i));
        chain.add(host.velocity.load(i));
        sum += chain.value();
    }
    return sum;
}

std::string state_hash_text(const Particles& host)
{
    return fmt::format("state hash {:016x} ({} particles)", state_hash(host), host.size());
}

}  // namespace aureole::run
