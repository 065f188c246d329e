// Trees from the links of all catalogues, with the pointers of GADGET-4's trees.hdf5.
#pragma once

#include <cstdint>
#include <vector>

namespace aureole::halo {

/// What trees need of one catalogue, the earliest first; rows are -1 for none.
struct ForestCatalogue {
    std::vector<std::int64_t> group;       ///< per halo: its group; halos of a group follow each other
    std::vector<double> mass;              ///< per halo
    std::vector<std::int64_t> main;        ///< per halo: the same halo one catalogue before
    std::vector<std::int64_t> skip;        ///< per halo: the same halo two catalogues before
    std::vector<std::int64_t> split_from;  ///< per halo: one before, the halo that it is a fragment of
    std::vector<std::int64_t> descendant;  ///< per halo: one after, what holds its core; empty of the last

    std::size_t size() const { return group.size(); }
};

/// A halo of a tree. Pointers are places within the tree, -1 for none.
struct TreeHalo {
    std::int32_t catalogue = 0, row = 0;  ///< which it is
    std::int32_t tree = 0;
    std::int32_t place = 0;              ///< within the tree
    std::int32_t descendant = -1;        ///< itself later, or what it is merged into
    std::int32_t first_progenitor = -1;  ///< of those whose descendant it is, the main one first
    std::int32_t next_progenitor = -1;   ///< the next with the same descendant
    std::int32_t main_progenitor = -1;   ///< itself earlier
    std::int32_t progenitor = -1;        ///< itself earlier, or what it is a fragment of
    std::int32_t first_descendant = -1;  ///< of those whose progenitor it is, itself first
    std::int32_t next_descendant = -1;   ///< the next with the same progenitor
    std::int32_t first_in_group = -1, next_in_group = -1;  ///< of the halos of its group
};

struct Forest {
    std::vector<TreeHalo> halos;       ///< tree after tree
    std::vector<std::uint64_t> begin;  ///< of each tree, and the end of the last

    std::size_t size() const { return begin.size() - 1; }
};

/// Halos that descend from each other or share a group at any time are a tree. Trees are ordered by their
/// first root: the latest, the most massive, that of the smallest row; so are roots (halos without a
/// descendant) in a tree, each followed by its progenitors, depth first, the main one before the others, the
/// later and smaller rows first. Throws ArgumentError for links that lead nowhere, or of two halos to one.
/// Cost: n log n.
Forest forest_of(const std::vector<ForestCatalogue>& catalogues);

}  // namespace aureole::halo
