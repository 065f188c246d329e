// Solvers that expand the field, as outputs of coefficients look for them.
#pragma once

#include <vector>

#include "gravity/scf/coefficients.hpp"

namespace aureole::gravity {
class Solver;
}

namespace aureole::gravity::scf {

/// Implemented beside Solver by a solver whose field is an expansion.
class ExpansionSource {
public:
    virtual ~ExpansionSource() = default;

    /// The expansions behind the last preparation with all particles as sources and expected targets.
    virtual std::vector<ComponentCoefficients> coefficients() const = 0;
};

/// Those of `solver`; none where it is no ExpansionSource. A decorator is not looked through.
std::vector<ComponentCoefficients> coefficients_of(const Solver& solver);

}  // namespace aureole::gravity::scf
