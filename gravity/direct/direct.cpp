// The entry point of the direct sum: checks, scratch, and the choice between its implementations.
#include "gravity/direct/direct.hpp"

#include "gravity/acceleration_passes.hpp"
#include "gravity/direct/direct_task.hpp"
#include "gravity/direct/ewald.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::gravity {

/// Kept between calls, so that a steady run allocates nothing.
struct DirectScratch {
    Buffer<std::byte> sources, evaluation;
    DirectTiles tiles{};      ///< CPU: the prepared sources
    Index n_clear_flags = 0;  ///< CUDA: leading flags of `evaluation` that are zero
};

namespace {

DirectBytes bytes_of(Backend where, const DirectTask& task)
{
    if (where == Backend::cpu) return direct_cpu_bytes(task);
    if constexpr (with_cuda) return direct_cuda_bytes(task);
    throw_not_built(where);
}

/// A buffer without a byte is not moved to the backend: there may be none in this build.
void require(Buffer<std::byte>& buffer, Backend where, std::size_t bytes)
{
    if (bytes > 0) buffer.require(where, bytes);
}

}  // namespace

Direct::Direct(const Config& config) : config_(config), scratch_(std::make_unique<DirectScratch>()) {}
Direct::~Direct() = default;

void Direct::prepare(Exec exec, const ConstParticlesView& particles, const SourceRequest& request,
                     const TargetRequest& expected)
{
    expect_same_memory(exec, particles);
    if (request.box.periodic()) {
        if (exec.backend != Backend::cpu)
            throw ConfigError(fmt::format(
                "the direct sum of a periodic box (side {}) runs on the CPU only; treat the system "
                "as isolated or move the particles to the CPU",
                request.box.side));
        check_ewald_softening(config_.softening, request.box);
    }
    box_ = request.box;
    sources_ = request.sources.clipped(particles.n);
    n_particles_ = particles.n;
    is_prepared_ = true;
    expected_ = expected.targets.clipped(particles.n);
    if (sources_.size() > 0 && !box_.periodic())
        build(exec, particles, expected_.size() > 0 ? expected_ : sources_);
}

void Direct::build(Exec exec, const ConstParticlesView& particles, const Selection& targets)
{
    expected_ = targets;
    DirectScratch& s = *scratch_;
    const DirectTask task{particles, targets, sources_, config_.softening, config_.precision};
    const DirectBytes bytes = bytes_of(exec.backend, task);
    require(s.sources, exec.backend, bytes.sources);
    if (exec.backend == Backend::cpu) {
        s.tiles = prepare_direct_cpu(task, s.sources.data());
    } else if constexpr (with_cuda) {
        require(s.evaluation, exec.backend, bytes.evaluation);
        prepare_direct_cuda(exec.stream, task, s.sources.data(), s.evaluation.data());
        s.n_clear_flags = targets.size();
    }
}

void Direct::evaluate_slice(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                            Slice slice, const ForceOutputs& outputs)
{
    AUREOLE_EXPECT(is_prepared_ && particles.n == n_particles_ && particles.where == exec.backend,
                   "the direct sum is asked for forces of {} particles on {}, and it was prepared for {}",
                   particles.n, name_of(particles.where), n_particles_);
    const Selection targets = request.targets.clipped(particles.n);
    if (targets.size() == 0) return;
    if (sources_.size() == 0) return set_to_zero(exec, targets, outputs);
    if (box_.periodic())
        return evaluate_ewald({particles, targets, sources_, config_.softening, box_, slice}, outputs);
    if (!sources_.covers(targets, particles.n) && targets != expected_) build(exec, particles, targets);

    DirectScratch& s = *scratch_;
    const DirectTask task{particles, targets, sources_, config_.softening, config_.precision, outputs};
    const std::size_t held = s.evaluation.size();
    require(s.evaluation, exec.backend, bytes_of(exec.backend, task).evaluation);
    if (exec.backend == Backend::cpu)
        return evaluate_direct_cpu(task, slice, s.tiles, s.sources.data(), s.evaluation.data(), progress());
    if constexpr (with_cuda) {
        const bool clear = s.evaluation.size() == held && targets.size() <= s.n_clear_flags;
        s.n_clear_flags = 0;
        evaluate_direct_cuda(exec.stream, task, slice, s.sources.data(), s.evaluation.data(), clear);
    }
}

std::size_t Direct::scratch_bytes(Backend where, std::size_t n) const
{
    AUREOLE_EXPECT(n <= max_particles, "{} particles are more than one set holds ({})", n, max_particles);
    if (n == 0) return 0;
    DirectTask task{};
    task.particles.n = static_cast<Index>(n);
    task.particles.where = where;
    task.targets = task.sources = Selection{}.clipped(task.particles.n);
    task.softening = config_.softening;
    task.precision = config_.precision;
    const DirectBytes bytes = bytes_of(where, task);
    return bytes.sources + bytes.evaluation;
}

}  // namespace aureole::gravity
