// The particles of some components, as solvers take them: a range where they lie together, else a list.
#pragma once

#include "gravity/components/plan.hpp"
#include "gravity/force_request.hpp"
#include "gravity/scf/membership.hpp"

namespace aureole::gravity::components {

class MemberSet {
public:
    MemberSet() = default;

    /// Those of the listed components; `present` are all components of the particles. Reads component numbers
    /// in host memory where they do not lie together. Throws ConfigError for a component without particles.
    MemberSet(const ConstParticlesView& particles, const std::vector<scf::Membership>& present,
              const Numbers& components);

    /// Borrowed: valid as long as this set.
    Selection all() const { return within({}); }

    /// Those of a range of particles.
    Selection within(IndexRange range) const;

    /// Those of a list in host memory, copied to `where`.
    MemberSet among(Backend where, std::span<const Index> list) const;

    bool empty() const { return all().size() == 0; }

private:
    bool holds(Index particle) const;

    IndexRange range_{0, 0};      ///< where there is no list
    std::vector<Index> indices_;  ///< rising, except in what among() returns
    Buffer<Index> list_;          ///< the same in the memory of the particles
};

}  // namespace aureole::gravity::components
