// The order of work of a build, and who lies where in its two blocks of memory.
#include "gravity/tree/source_tree.hpp"

#include <algorithm>
#include <cmath>

#include "gravity/tree/build.hpp"
#include "gravity/tree/curve_order.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/spatial/curve_keys.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::gravity::tree {
namespace {

/// Hands out 256-byte aligned pieces of a block; without one it only counts.
struct Carver {
    std::byte* base = nullptr;
    std::size_t used = 0;

    template <class T>
    void take(T*& piece, std::size_t n)
    {
        piece = base ? reinterpret_cast<T*>(base + used) : nullptr;
        used += (n * sizeof(T) + 255) / 256 * 256;
    }
};

/// What grows with the number of particles.
struct ParticleArrays {
    Survey* survey;
    Frame* frame;
    Body* bodies;
    float* softening;
    SortBuffers pairs;
    Index* targets;  ///< their order when they are not the sources
    Likeness* likeness;
    std::uint8_t* starts;
    std::byte* scratch;
};

struct Sizes {
    Backend where;
    std::size_t n_sources, n_targets;  ///< n_targets: 0 when they are the sources
    bool softening_by_body;
};

std::size_t carve(const Sizes& sizes, std::byte* base, ParticleArrays& arrays)
{
    const std::size_t n = sizes.n_sources, most = std::max(n, sizes.n_targets);
    Carver carver{base};
    carver.take(arrays.survey, 1);
    carver.take(arrays.frame, 1);
    carver.take(arrays.bodies, n);
    carver.take(arrays.softening, sizes.softening_by_body ? n : 0);
    carver.take(arrays.pairs.key, most);
    carver.take(arrays.pairs.spare_key, most);
    carver.take(arrays.pairs.value, most);
    carver.take(arrays.pairs.spare_value, most);
    carver.take(arrays.targets, sizes.n_targets > 0 ? most : 0);
    carver.take(arrays.likeness, n + 1);
    carver.take(arrays.starts, n);
    carver.take(arrays.scratch, std::max(sort_pairs_scratch_bytes(sizes.where, most),
                                         select_flagged_scratch_bytes(sizes.where, n)));
    return carver.used;
}

std::size_t carve(std::size_t n_leaves, bool softening, std::byte* base, NodeArrays& nodes)
{
    Carver carver{base};
    carver.take(nodes.heads, 2 * n_leaves);
    carver.take(nodes.tails, 2 * n_leaves);
    carver.take(nodes.boxes, 2 * n_leaves);
    carver.take(nodes.softening, softening ? 2 * n_leaves : 0);
    carver.take(nodes.meetings, n_leaves);
    return carver.used;
}

/// Leaves of n particles without much structure: between half full and full; some more are kept ready.
std::size_t usual_leaves(std::size_t n, int leaf_size)
{
    return static_cast<std::size_t>(2.0 * static_cast<double>(n) / leaf_size) + 64;
}

bool same(IndexRange a, IndexRange b) { return a.begin == b.begin && a.end == b.end; }

}  // namespace

struct SourceTree::State {
    Buffer<std::byte> particle_bytes, node_bytes;
    ParticleArrays arrays{};
    NodeArrays nodes{};
    TreeView view{};
    const Index* targets = nullptr;
    bool accelerations_known = false;

    void order(Exec exec, const ParticlesView& p, IndexRange range);
    void order_fully(Exec exec, const ParticlesView& p, Index n);
    Survey find_leaves_of(Exec exec, const ParticlesView& p, Index n, int leaf_size);
};

SourceTree::SourceTree() : state_(std::make_unique<State>()) {}
SourceTree::~SourceTree() = default;
SourceTree::SourceTree(SourceTree&&) noexcept = default;
SourceTree& SourceTree::operator=(SourceTree&&) noexcept = default;

/// Along the curve; long runs of equal keys keep the order of their indices.
void SourceTree::State::order(Exec exec, const ParticlesView& p, IndexRange range)
{
    make_keys(exec, p, range, arrays.frame, arrays.pairs);
    sort_pairs(exec, range.size(), arrays.pairs, 3 * key_bits, arrays.scratch);
    order_short_runs(exec, p, range.size(), arrays.frame, arrays.pairs, &arrays.survey->crowded);
}

void SourceTree::State::order_fully(Exec exec, const ParticlesView& p, Index n)
{
    for (const auto& [part, bits] : {std::pair{KeyPart::id, 64}, {KeyPart::low, 63}, {KeyPart::high, 63}}) {
        set_keys(exec, p, n, arrays.frame, part, arrays.pairs);
        sort_pairs(exec, n, arrays.pairs, bits, arrays.scratch);
    }
}

/// Starts of leaves go where the sort has no more need of memory.
Survey SourceTree::State::find_leaves_of(Exec exec, const ParticlesView& p, Index n, int leaf_size)
{
    compare_neighbours(exec, p, n, arrays.frame, arrays.pairs.key, arrays.pairs.value, arrays.likeness);
    find_leaves(exec, n, static_cast<Index>(leaf_size), arrays.likeness, arrays.starts);
    select_flagged(exec, n, arrays.starts, arrays.pairs.spare_value, &arrays.survey->n_leaves,
                   arrays.scratch);
    Survey found;
    if (exec.backend == Backend::cpu) return *arrays.survey;
    device::copy(&found, arrays.survey, sizeof found);
    return found;
}

void SourceTree::build(Exec exec, const ParticlesView& p, const Ranges& ranges,
                       const TypeSoftening& softening, int leaf_size)
{
    State& s = *state_;
    const bool alike = same(ranges.sources, ranges.targets), by_body = !softening.uniform;
    const Index n = ranges.sources.size(), n_targets = ranges.targets.size();
    const Sizes sizes{exec.backend, n, alike ? 0 : n_targets, by_body};
    ParticleArrays& a = s.arrays;
    s.particle_bytes.require(exec.backend, carve(sizes, nullptr, a));
    carve(sizes, s.particle_bytes.data(), a);

    clear_survey(exec, a.survey);
    survey_particles(exec, p, ranges.sources, true, alike, a.survey);
    if (!alike) survey_particles(exec, p, ranges.targets, false, true, a.survey);
    make_frame(exec, a.survey, a.frame);
    if (!alike && n_targets > 0) {
        s.order(exec, p, ranges.targets);
        std::swap(a.pairs.value, a.targets);
    }
    s.order(exec, p, ranges.sources);
    Survey found = s.find_leaves_of(exec, p, n, leaf_size);
    if (found.crowded > 0) {
        s.order_fully(exec, p, n);
        found = s.find_leaves_of(exec, p, n, leaf_size);
    }

    const std::size_t n_leaves = found.n_leaves;
    if (carve(n_leaves, by_body, nullptr, s.nodes) > s.node_bytes.size() ||
        s.node_bytes.where() != exec.backend)
        s.node_bytes.require(
            exec.backend,
            carve(std::max(usual_leaves(n, leaf_size), n_leaves + n_leaves / 8), by_body, nullptr, s.nodes));
    carve(n_leaves, by_body, s.node_bytes.data(), s.nodes);
    gather_bodies(exec, p, n, a.frame, a.pairs.value, a.bodies, by_body ? a.softening : nullptr, softening);
    if (!by_body) s.nodes.softening = nullptr;
    s.view = {n,
              static_cast<Index>(n_leaves),
              a.frame,
              a.bodies,
              a.pairs.value,
              s.nodes.heads,
              s.nodes.tails,
              s.nodes.boxes,
              by_body ? a.softening : nullptr,
              s.nodes.softening};
    build_nodes(exec, s.view, a.pairs.spare_value, a.likeness, s.nodes);
    s.targets = alike ? a.pairs.value : a.targets;
    s.accelerations_known = found.any_acceleration > 0;
}

TreeView SourceTree::view() const { return state_->view; }
const Index* SourceTree::targets() const { return state_->targets; }
bool SourceTree::accelerations_known() const { return state_->accelerations_known; }

std::size_t SourceTree::bytes(Backend where, std::size_t n, const TypeSoftening& softening, int leaf_size)
{
    ParticleArrays arrays;
    NodeArrays nodes;
    const bool by_body = !softening.uniform;
    return carve({where, n, 0, by_body}, nullptr, arrays) +
           carve(usual_leaves(n, leaf_size), by_body, nullptr, nodes);
}

}  // namespace aureole::gravity::tree
