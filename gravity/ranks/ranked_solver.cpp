// Rank 0's side of forces by several ranks.
#include <algorithm>

#include "gravity/ranks/crew.hpp"

namespace aureole::gravity {

using namespace ranks;

namespace {

SlicedSolver& sliced(Solver& solver)
{
    if (auto* const found = dynamic_cast<SlicedSolver*>(&solver)) return *found;
    throw ConfigError(
        "the gravity solver cannot share its targets (it is no SlicedSolver), and the run is on several "
        "ranks; "
        "expected one of the solvers direct, tree, treepm and scf, or one rank");
}

std::vector<std::byte> message_of(const Header& header, std::span<const std::byte> rest)
{
    std::vector<std::byte> message(sizeof header + rest.size());
    std::memcpy(message.data(), &header, sizeof header);
    if (!rest.empty()) std::memcpy(message.data() + sizeof header, rest.data(), rest.size());
    return message;
}

/// For a header, with the contents of a list behind it.
SelectionMessage message_of(const Selection& selection, std::vector<std::byte>& lists)
{
    if (selection.list) {
        const auto contents = std::as_bytes(std::span(selection.list, selection.size()));
        lists.insert(lists.end(), contents.begin(), contents.end());
    }
    return {reinterpret_cast<std::uintptr_t>(selection.list), selection.range};
}

bool is_same(const ConstVec3View& a, const ConstVec3View& b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

void expect_cpu(Exec exec, const ConstParticlesView& particles)
{
    AUREOLE_EXPECT(particles.where == exec.backend, "particles are on {}, asked to run on {}",
                   name_of(particles.where), name_of(exec.backend));
    if (exec.backend != Backend::cpu)
        throw ConfigError(
            fmt::format("several ranks share forces on the CPU only, found {}; expected --device cpu, "
                        "or one rank",
                        name_of(exec.backend)));
}

void copy_targets(const Selection& targets, const ForceOutputs& from, const ForceOutputs& to)
{
#pragma omp parallel for if (targets.size() > parallel_threshold)
    for (Index k = 0; k < targets.size(); ++k) {
        const Index i = targets[k];
        to.acceleration.store(i, from.acceleration.load(i));
        if (to.potential) to.potential[i] = from.potential[i];
    }
}

}  // namespace

RankedSolver::RankedSolver(comm::Communicator& ranks, std::unique_ptr<Solver> solver,
                           std::span<const std::byte> settings)
    : ranks_(ranks), solver_(std::move(solver)), sliced_(sliced(*solver_))
{
    Header header;
    header.task = Task::begin;
    send(header, settings, {}, {});
    together(ranks_, [] {});
}

/// With the slow arrays that the others have to be sent, which count as sent from now on.
Header RankedSolver::header_for(Task task, const ConstParticlesView& particles)
{
    Header header;
    header.task = task;
    header.n = particles.n;
    header.set = reinterpret_cast<std::uintptr_t>(particles.component);
    const SlowArrays<const void*> arrays = slow_arrays(particles);
    for (std::size_t k = 0; k < n_slow; ++k) {
        const std::size_t bytes = particles.n * slow_size[k];
        Sent& sent = sent_[k];
        const bool is_present = arrays[k] != nullptr;
        const bool is_moved = k == component_array && particles.component != set_;
        if (is_present) header.present |= 1u << k;
        if (!is_present || (!is_moved && sent.is_present && sent.bytes.size() == bytes &&
                            (bytes == 0 || std::memcmp(sent.bytes.data(), arrays[k], bytes) == 0)))
            continue;
        header.changed |= 1u << k;
        const auto* const from = static_cast<const std::byte*>(arrays[k]);
        sent.bytes.assign(from, from + bytes);
        sent.is_present = true;
    }
    set_ = particles.component;
    return header;
}

/// `rest` follows the header in its message; `previous` is sent where the header says so.
void RankedSolver::send(const Header& header, std::span<const std::byte> rest,
                        const ConstParticlesView& particles, const ConstVec3View& previous)
{
    std::vector<std::byte> message = message_of(header, rest);
    exchange(ranks_, [&] {
        broadcast_message(ranks_, message);
        const SlowArrays<const void*> arrays = slow_arrays(particles);
        for (std::size_t k = 0; k < n_slow; ++k)
            if (header.changed >> k & 1) broadcast(ranks_, arrays[k], particles.n * slow_size[k]);
        if (header.task == Task::prepare || header.task == Task::restore)
            broadcast(ranks_, particles.position, particles.n);
        if (header.previous == Previous::sent) broadcast(ranks_, previous, particles.n);
    });
}

void RankedSolver::prepare(Exec exec, const ConstParticlesView& particles, const SourceRequest& request,
                           const TargetRequest& expected)
{
    expect_cpu(exec, particles);
    const ConstVec3View& previous = expected.previous_acceleration;
    Header header = header_for(Task::prepare, particles);
    std::vector<std::byte> lists;
    header.sources = message_of(request.sources, lists);
    header.targets = message_of(expected.targets, lists);
    header.time = request.time;
    header.box = request.box;
    header.previous = previous.absent() ? Previous::absent : Previous::sent;
    send(header, lists, particles, previous);
    prepared_previous_ = previous;
    is_fresh_ = true;
    together(ranks_, [&] { solver_->prepare(exec, particles, request, expected); });
}

void RankedSolver::evaluate(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                            const ForceOutputs& outputs)
{
    expect_cpu(exec, particles);
    const ConstVec3View& previous = request.previous_acceleration;
    const std::size_t n_sums = sums_for(particles.n, outputs.potential);
    sums_.require(Backend::cpu, n_sums);
    std::fill_n(sums_.data(), n_sums, 0.0);

    Header header;
    header.task = Task::evaluate;
    header.n = particles.n;
    std::vector<std::byte> lists;
    header.targets = message_of(request.targets, lists);
    header.potential = outputs.potential != nullptr;
    // the array of prepare() may have been written by an evaluation since
    const bool is_kept = is_fresh_ && is_same(previous, prepared_previous_);
    header.previous = previous.absent() ? Previous::absent : is_kept ? Previous::kept : Previous::sent;
    is_fresh_ = false;
    send(header, lists, particles, previous);

    const ForceOutputs sums = outputs_in(sums_.data(), particles.n, outputs.potential);
    const Slice slice{0, static_cast<unsigned>(ranks_.size())};
    together(ranks_, [&] { sliced_.evaluate_slice(exec, particles, request, slice, sums); });
    exchange(ranks_, [&] { gather(ranks_, sums_.data(), n_sums); });
    copy_targets(request.targets.clipped(particles.n), sums, outputs);
    sliced_.finish(exec, particles, request, outputs);
}

void RankedSolver::restore_state(Exec exec, const ConstParticlesView& particles,
                                 std::span<const double> state)
{
    expect_cpu(exec, particles);
    send(header_for(Task::restore, particles), std::as_bytes(state), particles, {});
    is_fresh_ = false;
    together(ranks_, [&] { solver_->restore_state(exec, particles, state); });
}

std::size_t RankedSolver::scratch_bytes(Backend where, std::size_t n) const
{
    std::size_t own = sums_for(n, true) * sizeof(double);
    for (const std::size_t bytes : slow_size) own += bytes * n;
    return solver_->scratch_bytes(where, n) + (where == Backend::cpu ? own : 0);
}

void end_forces(comm::Communicator& ranks)
{
    std::vector<std::byte> message = message_of(Header{}, {});  // Task::end
    exchange(ranks, [&] { broadcast_message(ranks, message); });
}

}  // namespace aureole::gravity
