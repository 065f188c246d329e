// What a solver is asked for: which particles make the field, which feel it, and where results go. Plain
// data; the kernels take it as it is.
#pragma once

#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::gravity {

/// Some particles of a set: a range of indices or a list of them. Default: all. Solvers clip a range to the
/// number of particles.
struct Selection {
    IndexRange range{};
    const Index* list =
        nullptr;  ///< where it is not null: range.size() particle indices, instead of the range

    constexpr Selection() = default;
    constexpr Selection(IndexRange of) : range(of) {}
    constexpr Selection(Index begin, Index end) : range{begin, end} {}

    /// `n` different indices, each below the number of particles, in the memory of the particles. They are
    /// borrowed.
    static constexpr Selection listed(const Index* indices, Index n)
    {
        Selection result(0, n);
        result.list = indices;
        return result;
    }

    AUREOLE_HD constexpr Index size() const { return range.size(); }

    /// The k-th particle, k < size(), of a clipped selection.
    AUREOLE_HD constexpr Index operator[](Index k) const { return list ? list[k] : range.begin + k; }

    constexpr Selection clipped(Index n) const { return list ? *this : Selection(range.clipped(n)); }

    constexpr bool operator==(const Selection& other) const
    {
        return list == other.list && range.begin == other.range.begin && range.end == other.range.end;
    }

    /// Whether it is the range of all `n` particles. A list is never taken for it.
    constexpr bool is_everything(Index n) const { return !list && range.begin == 0 && range.end >= n; }

    /// Whether `other`, of the same `n` particles, is known to lie within this selection without reading a
    /// list.
    constexpr bool covers(const Selection& other, Index n) const
    {
        if (*this == other || is_everything(n)) return true;
        return !list && !other.list && range.begin <= other.range.begin && other.range.end <= range.end;
    }
};

/// The particles that make the field.
struct SourceRequest {
    double time = 0;
    Selection sources{};  ///< a list is borrowed until the next prepare()
    Box box{};            ///< open by default
};

/// The particles that the field acts on.
struct TargetRequest {
    Selection targets{};

    /// Accelerations of an earlier evaluation, entry i of particle i, for criteria that go by |a|. Null where
    /// there are none; zero for every target means the same. May be the array that evaluate() writes.
    ConstVec3View previous_acceleration{};
};

/// Arrays that evaluate() writes: entry i of particle i, entries of the targets only.
struct ForceOutputs {
    Vec3View acceleration{};
    double* potential = nullptr;  ///< per unit mass, without the particle's own; null: not needed
};

/// Throws ArgumentError unless the particles are in the memory that `exec` runs in.
void expect_same_memory(Exec exec, const ConstParticlesView& particles);

/// One preparation with one evaluation, see accelerate().
struct ForceRequest {
    double time = 0;
    bool potential = false;
    Selection targets{}, sources{};
    Box box{};
};

}  // namespace aureole::gravity
