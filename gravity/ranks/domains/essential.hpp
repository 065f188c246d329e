// Which nodes of other domains the targets of a domain may open, and how they come to it.
//
// A domain publishes its groups of targets, some at a time: a box, the least tolerance, lengths. Who owns a
// subtree walks it with each such entry, and sends the children and bodies that are not surely taken as a
// whole. A node that an entry takes is taken by each of its groups: the criterion of acceptance.hpp is
// monotone in the distance, the tolerance and the softening, and a margin covers other roundings. So one
// round serves but for groups that a walk splits because many nodes are close, whose targets tolerate less.
#pragma once

#include "gravity/ranks/domains/domain_tree.hpp"
#include "gravity/tree/walk_task.hpp"

namespace aureole::gravity::domains {

/// Groups that ask together. Lengths in units of the tree.
struct Entry {
    double low[3], high[3];
    double tolerance;                       ///< of one node, the least of them that go by error
    double opened_within;                   ///< cells so near are opened even where they are taken
    float least_softening, most_softening;  ///< of groups, each by the largest of its targets
    std::uint32_t by_error, by_angle;       ///< whether one of them decides so
};

/// One entry for both: what one of them may open.
void include(Entry& all, const Entry& one);

/// What holds for all entries of an evaluation.
struct EntryParams {
    tree::AcceptanceCriterion rule;
    double margin = 0x1p-16;  ///< of distances and tolerances; negative ones make further rounds
    int groups_together = 4;  ///< in one entry, apart from outliers
    Index group_targets = tree::group_targets_cpu;  ///< targets that decide together
    double opened_within = 0;                       ///< as in an entry, in units of the group
};

/// The entries of all groups of a walk. A group that is split anyway has one for each target.
std::vector<Entry> entries_of(const tree::WalkTask& task, const EntryParams& params);

/// Of one group and of each of its targets alone, so that whatever its walk decides is covered.
void append_entries_of(const tree::WalkTask& task, Index group, const EntryParams& params,
                       std::vector<Entry>& entries);

/// Children and bodies of the domain's own nodes, by numbers, ascending.
struct Essential {
    std::vector<Index> pairs, leaves;
};

/// What of the domain's own nodes the entries may open.
Essential essential_nodes(const DomainTree& tree, const std::vector<Entry>& entries,
                          const EntryParams& params);

/// What `from` has and `without` has not.
Essential difference(const Essential& from, const Essential& without);
Essential both(const Essential& a, const Essential& b);

/// Puts nodes and bodies into a message, and takes them out. `n_of_owner`: own bodies of the owner; what it
/// has beyond is this domain's, its first bodies, where `is_before` says that the owner is the domain before.
void put_essential(const DomainTree& tree, const Essential& nodes, Writer& to);
void take_essential(Reader& from, int owner, std::uint64_t n_of_owner, bool is_before, DomainTree& to);

/// Memory for all that is in these messages, at once.
void reserve_for(const std::vector<comm::Parts::Box>& messages, DomainTree& to);
/// Joins remote nodes whose children or bodies have come to them.
void join_remote(DomainTree& to);

/// Bytes of nodes (64) and bodies (32): heads, tails and bodies without boxes and softening.
std::size_t counted_bytes(const DomainTree& tree);

}  // namespace aureole::gravity::domains
