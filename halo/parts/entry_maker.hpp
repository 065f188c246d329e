// From batches of particles to entries.
#pragma once

#include <vector>

#include "halo/parts/entries.hpp"
#include "halo/parts/space_cuts.hpp"

namespace aureole::halo {

/// Calls act(array of `to`, array of `from`) for each array that travels.
template <class Act>
void for_each_array(const EntryArrays& to, const EntryArrays& from, Act act)
{
    const auto one = [&act](auto* into, const auto* values) {
        if (into) act(into, values);
    };
    const auto vectors = [&one](const Vec3View& into, const Vec3View& values) {
        one(into.x, values.x);
        one(into.y, values.y);
        one(into.z, values.z);
    };
    vectors(to.position, from.position);
    vectors(to.velocity, from.velocity);
    one(to.id, from.id);
    one(to.index, from.index);
    one(to.flags, from.flags);
}

/// Copies n entries in the order of a stream, which is null on the CPU. What lies in pinned memory or on the
/// device is not waited for.
void copy_entries(Exec exec, const EntryArrays& to, const EntryArrays& from, std::size_t n);

/// A batch of particles as entries, those of part 0 first. Ends of parts: begin[p] to begin[p + 1].
struct Batch {
    std::size_t n = 0, n_ghosts = 0;
    EntryArrays entries;
    std::vector<std::size_t> begin;
};

/// Makes batches, with memory that is used again.
class EntryMaker {
public:
    /// Ghosts of all parts near a point, or of later parts alone.
    enum class Ghosts { of_later, of_all };

    /// What is used again from search to search.
    struct Scratch {
        Buffer<std::byte> by_point, sort;
        Buffer<Index> ends;
    };

    EntryMaker(Exec exec, const SpaceCuts& cuts, const FofConfig& config, EntryKind kind, Ghosts ghosts,
               Scratch& scratch);

    /// Entries of `particles`, at most 2^31, in the memory of the backend, whose numbers begin with
    /// `first_index`. They lie in `block`, which grows.
    Batch make(const ConstParticlesView& particles, Index first_index, Buffer<std::byte>& block);

private:
    Exec exec_;
    const SpaceCuts& cuts_;
    FofConfig config_;
    EntryKind kind_;
    bool both_ways_;
    Scratch& scratch_;
};

}  // namespace aureole::halo
