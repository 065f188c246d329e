#include "sim/run/diagnostics/state_hash.hpp"

#include "sim/run/diagnostics/particle_hash.hpp"

namespace aureole::run {
namespace {

std::uint64_t hash_sum_on_host(const ConstParticlesView& p)
{
    std::uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum) if (p.n > parallel_threshold)
    for (Index i = 0; i < p.n; ++i) sum += detail::particle_hash(p, i);
    return sum;
}

[[maybe_unused]] std::uint64_t hash_sum_on_device(Exec exec, const ConstParticlesView& p)
{
    std::uint64_t sum = 0;
    if constexpr (with_cuda) {
        Buffer<std::uint64_t> there(exec.backend, 1);
        device::fill_zero(exec.stream, there.data(), sizeof sum);
        detail::add_particle_hashes(exec.stream, p, there.data());
        device::copy(exec.stream, &sum, there.data(), sizeof sum);
        device::wait(exec.stream);
    } else {
        throw_not_built(exec.backend);
    }
    return sum;
}

}  // namespace

std::uint64_t state_hash(Exec exec, const ConstParticlesView& particles)
{
    AUREOLE_EXPECT(exec.backend == particles.where, "a hash on {} needs particles there, got {}",
                   name_of(exec.backend), name_of(particles.where));
    const std::uint64_t sum =
        exec.backend == Backend::cpu ? hash_sum_on_host(particles) : hash_sum_on_device(exec, particles);
    return detail::mixed(detail::hash_key ^ particles.n) + sum;
}

std::uint64_t state_hash(const Particles& host) { return state_hash({}, host.view()); }

std::string state_hash_text(Exec exec, const ConstParticlesView& particles)
{
    return fmt::format("state hash {:016x} ({} particles)", state_hash(exec, particles), particles.n);
}

std::string state_hash_text(const Particles& host) { return state_hash_text({}, host.view()); }

}  // namespace aureole::run
