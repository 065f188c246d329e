// One basis at work: particles to coefficients (the X-table of Hernquist & Ostriker 1992) and coefficients to
// accelerations. Cost O(N n_max l_max^2) both ways; scratch does not depend on N.
#pragma once

#include "gravity/scf/coefficients.hpp"
#include "gravity/solver.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::gravity::scf {

/// The particles that make a field: those of a range, or only those of one component among them.
struct Members {
    IndexRange range{};
    int component = -1;  ///< -1: every particle of the range
};

struct FieldRequest {
    IndexRange targets{};
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
    /// piece of neighbours in memory. Equal input gives equal bits on one backend.
    void expand(Exec exec, const ParticlesView& particles, const Members& members, Vec3 centre,
                Buffer<double>& coefficients, int samples = 1);

    /// Accelerations, and potentials when asked, of the targets in the field of `coefficients`, about
    /// `centre`. Finite for every finite position.
    void field(Exec exec, const ParticlesView& particles, const FieldRequest& request, Vec3 centre,
               const Buffer<double>& coefficients);

    /// Kept between calls; does not depend on the number of particles.
    std::size_t scratch_bytes(Backend where) const;

private:
    std::size_t working_bytes(Backend where) const;
    void prepare(Backend where);

    Tables tables_;
    Precision precision_;
    Buffer<std::byte> scratch_;
    Buffer<double> device_tables_;
};

}  // namespace aureole::gravity::scf
