// The entry point of an expansion: checks, scratch, tables in the memory of the particles.
#include "gravity/scf/expansion.hpp"

#include <algorithm>

#include "gravity/scf/expansion_kernels.hpp"

namespace aureole::gravity::scf {
namespace {

/// Where slices of targets are cut on a GPU: accesses of a warp stay whole.
constexpr Index targets_together = 256;

/// Sums of all pieces on a GPU.
constexpr std::size_t most_piece_sums = std::size_t{1} << 22;

Selection part_of(const Selection& all, IndexRange places)
{
    if (all.list) return Selection::listed(all.list + places.begin, places.size());
    return IndexRange{all.range.begin + places.begin, all.range.begin + places.end};
}

}  // namespace

Expansion::Expansion(const Basis& basis, Precision precision, const Symmetry& symmetry)
    : tables_(make_tables(basis, symmetry)), precision_(precision)
{
}

void Expansion::expand(Exec exec, const ConstParticlesView& particles, const Members& members, Vec3 centre,
                       Buffer<double>& coefficients, int samples, const Progress& progress)
{
    expect_same_memory(exec, particles);
    AUREOLE_EXPECT(samples >= 1, "{} samples, expected at least 1", samples);
    const SharedPieces* const shared = members.shared;
    AUREOLE_EXPECT(!shared || (members.component == -1 && members.mass_unit > 0),
                   "pieces are shared of component {} with a mass unit of {}, expected all of a range and "
                   "more than 0",
                   members.component, members.mass_unit);
    const Slice slice = shared ? shared->slice : Slice{};
    prepare(exec.backend, slice.of);
    coefficients.require(exec.backend, tables_.basis.size() * static_cast<std::size_t>(samples));
    const IndexRange range = members.range.clipped(particles.n);
    const ExpandTask task{particles,
                          range,
                          members.component,
                          centre,
                          precision_,
                          samples,
                          coefficients.data(),
                          members.mass_unit,
                          slice,
                          shared ? members.of_all : range.size()};
    const auto gather = [&](const PieceSums& sums) {
        if (shared) shared->gather(exec.stream, sums.rows, sums.each * sums.size * sizeof(double));
    };
    if (exec.backend == Backend::cpu) {
        gather(sum_pieces_cpu(task, tables_, scratch_.data(), progress));
        return add_pieces_cpu(task, tables_, scratch_.data());
    }
    progress.at(0, "coefficients");
    if constexpr (with_cuda) {
        gather(sum_pieces_cuda(exec.stream, task, tables_, device_tables_.data(), scratch_.data()));
        return add_pieces_cuda(exec.stream, task, tables_, device_tables_.data(), scratch_.data());
    }
    throw_not_built(exec.backend);
}

IndexRange Expansion::members_of(Backend where, Index n, Slice slice) const
{
    const bool on_host = where == Backend::cpu;
    const std::size_t pieces = on_host ? pieces_cpu(tables_.basis, n) : pieces_cuda(tables_.basis, n);
    const auto cut = [&](unsigned part) {
        const std::size_t p = first_of_part(pieces, slice, part);
        return static_cast<Index>(on_host ? piece_begin_cpu(n, p, pieces) : piece_begin_cuda(n, p, pieces));
    };
    return {cut(slice.part), cut(slice.part + 1)};
}

std::size_t most_pieces_cuda(const Basis& basis)
{
    // so often as many as an H200 has at a time, unless their sums fill memory
    constexpr std::size_t most_turns = 16;
    const std::size_t once = pieces_cuda(basis, 0), fitting = most_piece_sums / (once * basis.size());
    return once * std::clamp<std::size_t>(fitting, 1, most_turns);
}

std::size_t pieces_cuda(const Basis& basis, Index n)
{
    // Two blocks for each multiprocessor of an H200, more where few sums leave memory for more; fewer for
    // expansions so large that their sums would fill memory, but never fewer than sub-samples can be asked
    // for. Of many members several times as many, so that ranks share them evenly.
    constexpr std::size_t least = 64;
    constexpr Index members_for_each_turn = 1 << 22;
    const std::size_t most = basis.size() <= 80 ? 528 : 264, fitting = most_piece_sums / basis.size();
    const std::size_t once = std::clamp(fitting, least, most);
    const std::size_t turns = std::max<std::size_t>(n / members_for_each_turn, 1);
    return turns == 1 ? once : std::min(turns * once, most_pieces_cuda(basis));
}

void Expansion::field(Exec exec, const ConstParticlesView& particles, const Selection& targets, Vec3 centre,
                      const Buffer<double>& coefficients, const ForceOutputs& outputs, bool add, Slice slice)
{
    expect_same_memory(exec, particles);
    AUREOLE_EXPECT(coefficients.where() == exec.backend && coefficients.size() >= tables_.basis.size(),
                   "{} coefficients on {}, expected {} on {}", coefficients.size(),
                   name_of(coefficients.where()), tables_.basis.size(), name_of(exec.backend));
    prepare(exec.backend);
    FieldTask task{particles, targets.clipped(particles.n), centre, precision_, outputs,
                   add,       coefficients.data(),          slice};
    if (task.targets.size() == 0) return;
    if (exec.backend == Backend::cpu) return add_field_cpu(task, tables_, scratch_.data());
    if constexpr (with_cuda) {
        task.targets = part_of(task.targets, slice.places(task.targets.size(), targets_together));
        if (task.targets.size() == 0) return;
        return add_field_cuda(exec.stream, task, tables_, device_tables_.data(), scratch_.data());
    }
    throw_not_built(exec.backend);
}

std::size_t Expansion::working_bytes([[maybe_unused]] Backend where, [[maybe_unused]] unsigned parts) const
{
    if (where == Backend::cpu) return expansion_scratch_bytes_cpu(tables_, parts);
    if constexpr (with_cuda)
        return std::max(expand_scratch_bytes_cuda(tables_, parts), field_scratch_bytes_cuda(tables_));
    throw_not_built(where);
}

std::size_t Expansion::scratch_bytes(Backend where) const
{
    const std::size_t tables =
        (tables_.alpha.size() + 3 * tables_.axial.size() + tables_.weight.size()) * sizeof(double);
    return working_bytes(where, 1) + (where == Backend::cpu ? 0 : tables);
}

void Expansion::prepare(Backend where, unsigned parts)
{
    scratch_.require(where, working_bytes(where, parts));
    if (where == Backend::cpu || device_tables_.where() == where) return;
    std::vector<double> all;
    for (const auto* table :
         {&tables_.alpha, &tables_.axial, &tables_.rise_z, &tables_.rise_r, &tables_.weight})
        all.insert(all.end(), table->begin(), table->end());
    device_tables_ = Buffer<double>(Backend::cpu, std::span<const double>(all)).copy_to(where);
}

}  // namespace aureole::gravity::scf
