// The entry point of an expansion: checks, scratch, tables in the memory of the particles.
#include "gravity/scf/expansion.hpp"

#include "gravity/scf/expansion_kernels.hpp"

namespace aureole::gravity::scf {
namespace {

/// Where slices of targets are cut on a GPU: accesses of a warp stay whole.
constexpr Index targets_together = 256;

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
    prepare(exec.backend);
    coefficients.require(exec.backend, tables_.basis.size() * static_cast<std::size_t>(samples));
    const ExpandTask task{particles,          members.range.clipped(particles.n),
                          members.component,  centre,
                          precision_,         samples,
                          coefficients.data()};
    if (exec.backend == Backend::cpu) return expand_cpu(task, tables_, scratch_.data(), progress);
    progress.at(0, "coefficients");
    if constexpr (with_cuda)
        return expand_cuda(exec.stream, task, tables_, device_tables_.data(), scratch_.data());
    throw_not_built(exec.backend);
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

std::size_t Expansion::working_bytes([[maybe_unused]] Backend where) const
{
    if (where == Backend::cpu) return expansion_scratch_bytes_cpu(tables_);
    if constexpr (with_cuda)
        return std::max(expand_scratch_bytes_cuda(tables_), field_scratch_bytes_cuda(tables_));
    throw_not_built(where);
}

std::size_t Expansion::scratch_bytes(Backend where) const
{
    const std::size_t tables =
        (tables_.alpha.size() + 3 * tables_.axial.size() + tables_.weight.size()) * sizeof(double);
    return working_bytes(where) + (where == Backend::cpu ? 0 : tables);
}

void Expansion::prepare(Backend where)
{
    scratch_.require(where, working_bytes(where));
    if (where == Backend::cpu || device_tables_.where() == where) return;
    std::vector<double> all;
    for (const auto* table :
         {&tables_.alpha, &tables_.axial, &tables_.rise_z, &tables_.rise_r, &tables_.weight})
        all.insert(all.end(), table->begin(), table->end());
    device_tables_ = Buffer<double>(Backend::cpu, std::span<const double>(all)).copy_to(where);
}

}  // namespace aureole::gravity::scf
