// Friends among the entries of one part, on either backend.
#pragma once

#include <memory>
#include <optional>

#include "halo/fof/fof_workspace.hpp"
#include "halo/parts/entry_roles.hpp"

namespace aureole::halo {

/// A part whose friends are linked, in the memory of the backend.
struct LinkedPart {
    Index n = 0;
    EntryArrays entries;
    const Index* order = nullptr;        ///< per place, the entry
    Index* set = nullptr;                ///< per place, the place of its root; or no_set
    const ParticleType* role = nullptr;  ///< per entry; null: all are linked
    Index* wide[4] = {};                 ///< spare memory for n numbers each
};

/// Searches one part after the other in the same memory.
class PartLinker {
public:
    /// What is used again from search to search.
    struct Scratch {
        Buffer<std::byte> block, summary;
        Buffer<ParticleType> role;
    };

    /// `extent` holds all particles. With `all_link` no entry joins or stays alone. Takes memory for parts of
    /// `largest` entries.
    PartLinker(Exec exec, const FofConfig& config, const FofExtent& extent, bool all_link,
               std::size_t largest, Scratch& scratch);

    /// core[place] = 1 for own points that link and have at least min_friends friends, else 0.
    void flag_core(const EntryArrays& entries, Index n, std::uint8_t* core);

    /// Valid until the next call. `core`: by place, who links among linking types; null: all of them.
    LinkedPart link(const EntryArrays& entries, Index n, const std::uint8_t* core);

    /// Bytes for parts of n entries.
    static std::size_t bytes(Backend where, std::size_t n, const FofConfig& config);

private:
    /// One with min_friends 1 whose types are roles.
    ConstParticlesView view(const EntryArrays& entries, Index n, const std::uint8_t* core);
    Index count_linking(const ConstParticlesView& points);
    std::unique_ptr<Linker> built(Index n_linking);

    Exec exec_;
    FofConfig config_;  ///< of roles
    Index min_friends_;
    Border border_;
    FofExtent extent_;
    bool all_link_;
    Scratch& scratch_;
    std::optional<FofWorkspace> workspace_;
};

}  // namespace aureole::halo
