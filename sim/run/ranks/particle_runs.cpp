#include "sim/run/ranks/particle_runs.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "gravity/ranks/task.hpp"
#include "integrators/integrator.hpp"
#include "sim/run/control/run_directory.hpp"

namespace aureole::run {

namespace {

/// Numbers of a broadcast: what travels past other ranks needs memory there.
constexpr std::size_t moved_at_once = std::size_t{1} << 22;

using Arrays = std::array<double*, 11>;

/// Everything of a particle that changes, and its mass.
Arrays arrays_of(const ParticlesView& p)
{
    return {p.mass,       p.position.x,     p.position.y,     p.position.z,     p.velocity.x, p.velocity.y,
            p.velocity.z, p.acceleration.x, p.acceleration.y, p.acceleration.z, p.potential};
}

void copy_here(Exec exec, double* to, const double* from, std::size_t n)
{
    if (n == 0) return;
    if (exec.backend == Backend::cpu)
        std::copy_n(from, n, to);
    else
        device::copy(exec.stream, to, from, n * sizeof(double));
}

}  // namespace

std::size_t particle_run_bytes(std::size_t n, int n_ranks)
{
    const std::size_t own = std::min(n, n / static_cast<std::size_t>(n_ranks) * 9 / 8 + 1);
    return own * Particles::bytes_per_particle() + (n_ranks > 2 ? moved_at_once * sizeof(double) : 0);
}

/// The field of all ranks' particles for those of this one.
class ParticleRun::Forces final : public gravity::Stateless<gravity::Solver> {
public:
    explicit Forces(ParticleRun& run) : run_(run) {}

    void prepare(Exec exec, const ConstParticlesView& particles, const gravity::SourceRequest& request,
                 const gravity::TargetRequest&) override
    {
        const Timers::Scope scope(run_.timers_, Phase::forces);
        time_ = request.time;
        run_.solver_.prepare_runs(exec, particles, request.time, run_.pieces_);
    }
    void evaluate(Exec exec, const ConstParticlesView& particles, const gravity::TargetRequest& request,
                  const gravity::ForceOutputs& outputs) override
    {
        const Timers::Scope scope(run_.timers_, Phase::forces);
        run_.solver_.evaluate_slice(exec, particles, request, {}, outputs);
        for (const auto& field : run_.fields_)
            field->add_acceleration(exec, particles, request.targets, time_, outputs.acceleration);
        if (run_.is_watched_) run_.watch_.end_forces();
    }
    std::size_t scratch_bytes(Backend, std::size_t) const override { return 0; }
    gravity::EnergyTerms energy_terms() const override { return {}; }

private:
    ParticleRun& run_;
    double time_ = 0;
};

ParticleRun::ParticleRun(Exec exec, comm::Communicator& ranks, comm::DeviceMoves& moves,
                         gravity::scf::Scf& solver, const ExternalFields& fields, Timers& timers)
    : exec_(exec),
      ranks_(ranks),
      moves_(moves),
      solver_(solver),
      fields_(fields),
      timers_(timers),
      integrator_(integrators::make_integrator("leapfrog"))
{
    pieces_.slice = slice();
    pieces_.gather = [this](CUstream_st* stream, void* rows, std::size_t bytes) {
        const double begin = steady_seconds();
        moves_.all_gather(stream, rows, bytes);
        // on a GPU own sums are waited for, too
        if (exec_.backend == Backend::cpu) forces_seconds_ -= steady_seconds() - begin;
    };
}

ParticleRun::~ParticleRun() = default;

Slice ParticleRun::slice() const
{
    return {static_cast<unsigned>(ranks_.rank()), static_cast<unsigned>(ranks_.size())};
}

ParticlesView ParticleRun::view()
{
    ParticlesView all = particles_.view();
    all.n = n_;
    // nothing that moves particles asks for these
    all.id = nullptr;
    all.type = nullptr;
    all.component = nullptr;
    return all;
}

void ParticleRun::perform(const RunTask& task, const ParticlesView* whole)
{
    switch (task.kind) {
        case RunTask::Kind::take:
            return take(task.n, whole);
        case RunTask::Kind::step: {
            const double before = timers_.seconds(Phase::forces);
            gravity::ranks::exchange(ranks_, [&] { step(task); });
            forces_seconds_ += timers_.seconds(Phase::forces) - before;
            return;
        }
        case RunTask::Kind::collect:
            return gravity::ranks::exchange(ranks_, [&] { move_all(false, whole); });
        case RunTask::Kind::longest_step:
            return gravity::ranks::exchange(ranks_, [&] { find_longest_step(task); });
        case RunTask::Kind::write_piece:
            write_piece(task.number_of_step, {});
            return;
        case RunTask::Kind::tell_load:
            return;
    }
}

CheckpointPieces ParticleRun::write_piece(std::uint64_t step, const std::filesystem::path& folder)
{
    const std::string text = folder.string();
    const auto own = std::as_bytes(std::span(text));
    std::vector<std::byte> name(own.begin(), own.end());
    ranks_.broadcast_any(name, 0);
    const std::filesystem::path there(std::string(reinterpret_cast<const char*>(name.data()), name.size()));
    std::error_code failed;
    // another run may have files of the same names in a folder of that name on another host
    std::uint64_t lock = lock_number(there);
    const std::uint64_t seen = lock;
    ranks_.broadcast(std::as_writable_bytes(std::span(&lock, 1)), 0);
    if (!all_say(std::filesystem::is_directory(there, failed) && seen == lock)) return {};
    const std::filesystem::path file = there / checkpoint_piece_name(step, slice().part);
    CheckpointPiece written;
    comm::agreed(
        ranks_,
        [&] {
            if (exec_.backend == Backend::cuda) device::wait(exec_.stream);
            written.checksum = write_checkpoint_piece(file, particles_, n_);
        },
        "there is no memory left for a piece of a checkpoint");
    std::vector<std::uint64_t> checksums(slice().of);
    ranks_.all_gather(comm::bytes_of(written.checksum), std::as_writable_bytes(std::span(checksums)));
    CheckpointPieces all{step, {}};
    for (std::size_t r = 0; r < checksums.size(); ++r) all.piece.push_back({runs_[r], checksums[r]});
    if (all_say(slice().part > 0 || has_pieces(there, all))) return all;
    std::filesystem::remove(file, failed);  // of another folder of that name
    return {};
}

bool ParticleRun::all_say(bool yes)
{
    std::uint64_t all = yes;
    ranks_.all_reduce({&all, 1}, comm::Reduction::min);
    return all == 1;
}

/// A minimum of positive numbers, whose bits are in their order.
void ParticleRun::find_longest_step(const RunTask& task)
{
    if (!adaptive_) {
        gravity::Softening softening;
        softening.length.fill(task.length);
        adaptive_.emplace(task.eta, softening);
    }
    std::uint64_t bits = std::bit_cast<std::uint64_t>((*adaptive_)(exec_, view()));
    ranks_.all_reduce({&bits, 1}, comm::Reduction::min);
    longest_step_ = std::bit_cast<double>(bits);
}

void ParticleRun::take(Index n, const ParticlesView* whole)
{
    gravity::ranks::together(ranks_, [&] {
        runs_.clear();
        std::uint64_t sum = 0;
        for (unsigned r = 0; r < slice().of; ++r) {
            runs_.push_back(solver_.runs(exec_.backend, {r, slice().of}));
            for (const IndexRange run : runs_.back()) sum += run.size();
        }
        AUREOLE_EXPECT(sum == n, "the ranks have {} particles together, expected {}", sum, n);
        n_ = 0;
        for (const IndexRange run : runs_[slice().part]) n_ += run.size();
        const std::size_t size = std::max<std::size_t>(n_, 1);  // without particles, too, arrays are there
        if (particles_.size() != size || particles_.where() != exec_.backend) {
            particles_ = {};
            particles_ = Particles(exec_.backend, size);
        }
        if (slice().of > 2) others_.require(exec_.backend, moved_at_once);
    });
    gravity::ranks::exchange(ranks_, [&] { move_all(true, whole); });
}

void ParticleRun::move_all(bool from_first, const ParticlesView* whole)
{
    const Arrays own = arrays_of(particles_.view()), all = whole ? arrays_of(*whole) : Arrays{};
    const std::size_t first = from_first ? 0 : 1;  // masses stay
    move(from_first, whole, std::span(all).subspan(first), std::span(own).subspan(first));
}

/// From rank 0 to the runs of all, or back. Each run passes by all ranks: it could reach rank 0, or leave it,
/// no sooner otherwise.
void ParticleRun::move(bool from_first, const ParticlesView* whole, std::span<double* const> of_whole,
                       std::span<double* const> of_run)
{
    for (std::size_t r = 0; r < runs_.size(); ++r) {
        const bool is_own = r == slice().part;
        for (std::size_t k = 0; k < of_run.size(); ++k) {
            std::size_t place = 0;  // in the run
            for (const IndexRange range : runs_[r]) {
                const std::size_t n = range.size();
                double* const here = is_own ? of_run[k] + place : nullptr;
                double* const there = whole ? of_whole[k] + range.begin : nullptr;
                place += n;
                if (r == 0) {
                    if (is_own) copy_here(exec_, from_first ? here : there, from_first ? there : here, n);
                    continue;
                }
                for (std::size_t at = 0; at < n; at += moved_at_once) {
                    double* const array = here ? here + at : there ? there + at : others_.data();
                    moves_.broadcast(exec_.stream, array, std::min(moved_at_once, n - at) * sizeof(double),
                                     from_first ? 0 : static_cast<int>(r));
                }
            }
        }
    }
}

void ParticleRun::step(const RunTask& task)
{
    const Timers::Scope scope(timers_, Phase::integration);
    if (task.watches) {
        watch_.start(exec_, view(), task.limits, true);
        is_watched_ = true;
    }
    if (is_watched_) integrator_->set_watch(watch_.begin_step());
    Forces forces(*this);
    double time = task.time;
    integrator_->step(exec_, view(), forces, time, task.dt, task.potential != 0);
    if (is_watched_) watch_.end_step();
    std::uint64_t is_beyond = is_watched_ && !watch_.within_limits(timers_);
    ranks_.all_reduce({&is_beyond, 1}, comm::Reduction::max);
    within_limits_ = is_beyond == 0;
}

std::unique_ptr<ParticleRuns> ParticleRuns::of(Exec exec, comm::Communicator& ranks, comm::DeviceMoves& moves,
                                               gravity::Solver& self_gravity, const ExternalFields& fields,
                                               Timers& timers)
{
    auto* const solver = dynamic_cast<gravity::RankedSolver*>(&self_gravity);
    auto* const expansion = solver ? dynamic_cast<gravity::scf::Scf*>(&solver->own_solver()) : nullptr;
    if (!expansion || ranks.size() == 1) return nullptr;
    if (std::ranges::any_of(fields, [](const auto& field) { return field->works(); })) return nullptr;
    return std::make_unique<ParticleRuns>(exec, ranks, moves, *solver, *expansion, fields, timers);
}

ParticleRuns::ParticleRuns(Exec exec, comm::Communicator& ranks, comm::DeviceMoves& moves,
                           gravity::RankedSolver& solver, gravity::scf::Scf& expansion,
                           const ExternalFields& fields, Timers& timers)
    : solver_(solver),
      expansion_(expansion),
      fields_(fields),
      own_(exec, ranks, moves, expansion, fields, timers)
{
}

bool ParticleRuns::can_step(double end, bool potential) const
{
    // the energy in the fields is a sum over all particles
    if (potential && !fields_.empty()) return false;
    return expansion_.can_share_runs(end, potential);
}

void ParticleRuns::perform(const RunTask& task, const ParticlesView& whole)
{
    solver_.begin_other(comm::bytes_of(task));
    own_.perform(task, &whole);
}

void ParticleRuns::step(const ParticlesView& whole, double time, double dt, bool potential)
{
    if (!has_runs_) {
        RunTask take;
        take.n = whole.n;
        take.is_first = is_first_;
        is_first_ = false;
        perform(take, whole);
        has_runs_ = true;
        new_limits_ = limits_;  // of other particles
    }
    RunTask task;
    task.kind = RunTask::Kind::step;
    task.time = time;
    task.dt = dt;
    task.potential = potential;
    task.watches = new_limits_.has_value();
    if (new_limits_) task.limits = *new_limits_;
    new_limits_.reset();
    is_behind_ = true;
    perform(task, whole);
    has_looked_ = limits_.has_value();
}

double ParticleRuns::longest_step(double eta, double length, const ParticlesView& whole)
{
    RunTask task;
    task.kind = RunTask::Kind::longest_step;
    task.eta = eta;
    task.length = length;
    perform(task, whole);
    return own_.longest_step();
}

CheckpointPieces ParticleRuns::write_pieces(std::uint64_t step, const std::filesystem::path& folder)
{
    RunTask task;
    task.kind = RunTask::Kind::write_piece;
    task.number_of_step = step;
    const std::filesystem::path whole = std::filesystem::absolute(folder);
    solver_.begin_other(comm::bytes_of(task));
    try {
        return own_.write_piece(step, whole);
    } catch (const MemoryError&) {
        throw;
    } catch (const Error& error) {
        throw IoError(error.what());
    }
}

void ParticleRuns::collect(const ParticlesView& whole)
{
    if (!is_behind_) return;
    RunTask task;
    task.kind = RunTask::Kind::collect;
    perform(task, whole);
    is_behind_ = false;
}

void ParticleRuns::watch(const ParticleLimits& limits)
{
    limits_ = new_limits_ = limits;
    has_looked_ = false;
}

RankLoads loads_of_ranks(comm::Communicator& ranks, const comm::DeviceMoves& moves,
                         gravity::RankedSolver& solver, const ParticleRuns* runs)
{
    RunTask task;
    task.kind = RunTask::Kind::tell_load;
    solver.begin_other(comm::bytes_of(task));
    const double in_runs = runs ? runs->forces_seconds() : 0;
    return gather_loads(ranks, {solver.work_seconds() + in_runs, static_cast<double>(moves.moved_bytes())});
}

void ParticleRunServer::perform(gravity::Solver& solver, double work_seconds, std::span<const std::byte> task)
{
    RunTask read;
    AUREOLE_EXPECT(task.size() == sizeof read, "a task of {} bytes", task.size());
    std::memcpy(&read, task.data(), sizeof read);
    if (read.kind == RunTask::Kind::tell_load) {
        const double in_runs = own_ ? own_->forces_seconds() : 0;
        gather_loads(ranks_, {work_seconds + in_runs, static_cast<double>(moves_.moved_bytes())});
        return;
    }
    if (read.kind == RunTask::Kind::take && read.is_first)
        own_ = std::make_unique<ParticleRun>(Exec{moves_.where()}, ranks_, moves_,
                                             dynamic_cast<gravity::scf::Scf&>(solver), fields_, timers_);
    own_->perform(read, nullptr);
}

}  // namespace aureole::run
