// The two implementations behind Expansion.
#pragma once

#include "gravity/force_request.hpp"
#include "gravity/scf/tables.hpp"
#include "sim/core/precision.hpp"

namespace aureole::gravity::scf {

/// The X-table: sum over particles of m psi_nlm. Particles are dealt out to `samples` sub-samples in pieces
/// of neighbours, whose coefficients are kept apart.
struct ExpandTask {
    ConstParticlesView particles;
    IndexRange range;
    int component;  ///< only its particles; -1: all of the range
    Vec3 centre;
    Precision precision;
    int samples;
    double* coefficients;  ///< [samples][size], written; where the particles are
};

/// Accelerations and potentials of the targets in the field of given coefficients; either output may be
/// absent.
struct FieldTask {
    ConstParticlesView particles;
    Selection targets;  ///< clipped, not empty
    Vec3 centre;
    Precision precision;
    ForceOutputs outputs;
    bool add;                    ///< to what the arrays hold, instead of overwriting
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
