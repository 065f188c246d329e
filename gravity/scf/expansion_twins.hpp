// What the two backends of an expansion implement.
#pragma once

#include "gravity/scf/tables.hpp"
#include "gravity/solver.hpp"

namespace aureole::gravity::scf {

/// The X-table: sum over particles of m psi_nlm. Particles are dealt out to `samples` sub-samples in pieces
/// of neighbours, whose coefficients are kept apart.
struct ExpandTask {
    ParticlesView particles;
    IndexRange range;
    int component;  ///< only its particles; -1: all of the range
    Vec3 centre;
    Precision precision;
    int samples;
    double* coefficients;  ///< [samples][size], written; where the particles are
};

/// Accelerations (and potentials) of the targets in the field of given coefficients.
struct FieldTask {
    ParticlesView particles;
    IndexRange targets;
    Vec3 centre;
    Precision precision;
    bool potential, add;         ///< add: to what the arrays hold, instead of overwriting
    const double* coefficients;  ///< [size], where the particles are
};

std::size_t expansion_scratch_bytes_cpu(const Tables& tables);
void expand_cpu(const ExpandTask& task, const Tables& tables, std::byte* scratch);
void add_field_cpu(const FieldTask& task, const Tables& tables, std::byte* scratch);

/// Each call needs its own; one after another may share.
std::size_t expand_scratch_bytes_cuda(const Tables& tables);
std::size_t field_scratch_bytes_cuda(const Tables& tables);
void expand_cuda(CUstream_st* stream, const ExpandTask& task, const Tables& tables,
                 const double* device_tables, std::byte* scratch);
void add_field_cuda(CUstream_st* stream, const FieldTask& task, const Tables& tables,
                    const double* device_tables, std::byte* scratch);

}  // namespace aureole::gravity::scf
