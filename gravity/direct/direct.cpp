// The door of the direct sum: checks, scratch, and the choice between its twins.
#include "gravity/direct/direct.hpp"

#include "gravity/direct/direct_twins.hpp"
#include "gravity/set_to_zero.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::gravity {

/// Kept between calls, so that a steady run allocates nothing.
struct DirectScratch {
    Buffer<std::byte> bytes;
};

namespace {

std::size_t scratch_bytes_of([[maybe_unused]] Backend where, const DirectTask& task)
{
    if (where == Backend::cpu) return direct_cpu_scratch_bytes(task);
#if defined(AUREOLE_WITH_CUDA)
    return direct_cuda_scratch_bytes(task);
#else
    throw_not_built(where);
#endif
}

}  // namespace

Direct::Direct(const Config& config) : config_(config), scratch_(std::make_unique<DirectScratch>()) {}
Direct::~Direct() = default;

void Direct::accelerate(Exec exec, const ParticlesView& particles, const ForceRequest& request)
{
    AUREOLE_EXPECT(particles.where == exec.backend, "particles are on {}, asked to run on {}",
                   name_of(particles.where), name_of(exec.backend));
    if (request.box.periodic())
        throw ConfigError(
            fmt::format("the direct sum knows open space only, and the box is periodic with side {}; "
                        "treat the system as isolated or choose another solver",
                        request.box.side));
    const DirectTask task{particles,
                          request.targets.clipped(particles.n),
                          request.sources.clipped(particles.n),
                          config_.softening,
                          config_.precision,
                          request.potential};
    if (task.targets.size() == 0) return;
    if (task.sources.size() == 0) return set_to_zero(particles, task.targets, task.potential);
    scratch_->bytes.require(exec.backend, scratch_bytes_of(exec.backend, task));
    if (exec.backend == Backend::cpu) return direct_cpu(task, scratch_->bytes.data());
#if defined(AUREOLE_WITH_CUDA)
    direct_cuda(exec.stream, task, scratch_->bytes.data());
#else
    throw_not_built(exec.backend);
#endif
}

std::size_t Direct::scratch_bytes(Backend where, std::size_t n) const
{
    AUREOLE_EXPECT(n <= max_particles, "{} particles are more than one set holds ({})", n, max_particles);
    DirectTask task{};
    task.particles.n = static_cast<Index>(n);
    task.particles.where = where;
    task.targets = task.sources = IndexRange{}.clipped(task.particles.n);
    task.softening = config_.softening;
    task.precision = config_.precision;
    task.potential = true;
    return n == 0 ? 0 : scratch_bytes_of(where, task);
}

}  // namespace aureole::gravity
