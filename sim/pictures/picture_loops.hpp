// Loops over particles and cells of a picture, for either backend. To be included by *_dual.cpp files only.
#pragma once

#include <cstring>

#include "sim/core/for_each_dual.hpp"

namespace aureole::pictures {

/// Particles that one lane looks at, where few numbers come of many.
template <class Visit>
struct LaneLoop {
    Visit visit;
    Index n, lanes;
    bool contiguous;

    /// The particles of a lane: neighbours on the CPU, every lanes-th on a GPU.
    template <class Each>
    AUREOLE_HD void each(Index lane, Each take) const
    {
        const Index share = (n - 1) / lanes + 1;
        for (Index k = 0; k < share; ++k) {
            const std::size_t i = contiguous ? std::size_t{lane} * share + k : std::size_t{k} * lanes + lane;
            if (i < n) take(static_cast<Index>(i));
        }
    }
    AUREOLE_HD void operator()(Index lane) const { visit(*this, lane); }
};

template <class Visit>
void for_each_lane(Exec exec, Index n, Visit visit)
{
    constexpr Index host_lanes = 2048, device_lanes = 32768;  // whole warps
    if (n == 0) return;
    const bool host = exec.backend == Backend::cpu;
    const Index lanes = host ? (n > (1u << 16) ? host_lanes : 32) : device_lanes;
    for_each(exec, lanes, LaneLoop<Visit>{visit, n, lanes, host});
}

AUREOLE_HD inline std::uint64_t bits_of(double x)
{
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

template <class Body>
struct CellLoop {
    Body body;
    Index columns;

    AUREOLE_HD void operator()(Index k) const { body(k / columns, k % columns); }
};

/// body(row, column), on the host row by row.
template <class Body>
void for_each_cell(Exec exec, Index rows, Index columns, Body body)
{
    if (exec.backend != Backend::cpu) return for_each(exec, rows * columns, CellLoop<Body>{body, columns});
    constexpr std::size_t cells_worth_a_team = std::size_t{1} << 16;
    [[maybe_unused]] const bool team = std::size_t{rows} * columns > cells_worth_a_team;
#pragma omp parallel for if (team)
    for (Index row = 0; row < rows; ++row)
        for (Index column = 0; column < columns; ++column) body(row, column);
}

}  // namespace aureole::pictures
