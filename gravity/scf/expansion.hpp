// One basis at work: particles to coefficients (the X-table of Hernquist & Ostriker 1992) and coefficients to
// accelerations. Cost O(N n_max l_max^2) both ways; scratch does not depend on N.
#pragma once

#include <functional>

#include "gravity/force_request.hpp"
#include "gravity/scf/coefficients.hpp"
#include "gravity/slice.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/precision.hpp"
#include "sim/core/progress.hpp"

namespace aureole::gravity {
using aureole::Precision;
}

namespace aureole::gravity::scf {

/// Several ranks that make one field: each has the particles of some of the pieces into which all members are
/// cut, sums these, and then has the sums of all.
struct SharedPieces {
    Slice slice{};  ///< of the pieces: as even parts as whole pieces allow, the last ones may be empty
    /// Collective. `rows` has a part for each rank, `bytes` each, where the particles are; this rank's is
    /// there, and afterwards all are.
    std::function<void(CUstream_st* stream, void* rows, std::size_t bytes)> gather;
};

/// The particles that make a field: those of a range, or only those of one component among them.
struct Members {
    IndexRange range{};
    int component = -1;  ///< -1: every particle of the range
    /// A power of two near the largest mass, for kernels in float on a GPU; 0: they look at some masses.
    double mass_unit = 0;
    const SharedPieces* shared = nullptr;  ///< with a mass unit: the range holds this rank's pieces alone
    Index of_all = 0;                      ///< members of all ranks, where pieces are shared
};

/// What field() writes to the arrays of the particles themselves.
struct FieldRequest {
    Selection targets{};
    bool potential = false;
    bool add = false;  ///< to what accelerations and potentials hold, instead of overwriting them
};

class Expansion {
public:
    /// Throws ConfigError as check_basis() does.
    Expansion(const Basis& basis, Precision precision, const Symmetry& symmetry = {});

    const Tables& tables() const { return tables_; }

    /// Overwrites `coefficients` with `samples` sets of orthonormal coefficients, one after another, in the
    /// memory of `exec`; their sum is that of all members. Sample k has the particles of every samples-th
    /// piece of neighbours in memory. Equal input gives equal bits on one backend, however
    /// many ranks share the pieces. `progress` is called before the work, and on the CPU between pieces of
    /// it.
    void expand(Exec exec, const ConstParticlesView& particles, const Members& members, Vec3 centre,
                Buffer<double>& coefficients, int samples = 1, const Progress& progress = {});

    /// Accelerations and potentials of the targets in the field of `coefficients` about `centre`; with `add`
    /// they are added to what the arrays hold. An output that is null is left out. Finite for every finite
    /// position. `slice`: only these targets, on the CPU alone.
    void field(Exec exec, const ConstParticlesView& particles, const Selection& targets, Vec3 centre,
               const Buffer<double>& coefficients, const ForceOutputs& outputs, bool add = false,
               Slice slice = {});

    /// The same into the arrays of the particles.
    void field(Exec exec, const ParticlesView& particles, const FieldRequest& request, Vec3 centre,
               const Buffer<double>& coefficients)
    {
        field(exec, particles, request.targets, centre, coefficients,
              {particles.acceleration, request.potential ? particles.potential : nullptr}, request.add);
    }

    /// Which of `n` members, in the order of memory, a part of their pieces has.
    IndexRange members_of(Backend where, Index n, Slice slice) const;

    /// Kept between calls; does not depend on the number of particles.
    std::size_t scratch_bytes(Backend where) const;

private:
    std::size_t working_bytes(Backend where, unsigned parts) const;
    void prepare(Backend where, unsigned parts = 1);

    Tables tables_;
    Precision precision_;
    Buffer<std::byte> scratch_;
    Buffer<double> device_tables_;
};

}  // namespace aureole::gravity::scf
