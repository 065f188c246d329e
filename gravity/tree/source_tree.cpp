// The order of work of a build, and the layout of its blocks of memory.
#include "gravity/tree/source_tree.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gravity/tree/build.hpp"
#include "gravity/tree/full_order.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/memory/device_event.hpp"
#include "sim/core/spatial/curve_keys.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::gravity::tree {
namespace {

/// What grows with the number of particles.
struct ParticleArrays {
    Survey* survey;
    Frame* frame;
    Body* bodies;
    float* softening;
    SortBuffers pairs;
    Likeness* likeness;
    std::uint8_t* starts;
    std::byte* scratch;
};

struct Sizes {
    Backend where;
    std::size_t n_sources;
    bool softening_by_body;

    bool operator==(const Sizes&) const = default;
};

std::size_t carve(const Sizes& sizes, std::byte* base, ParticleArrays& arrays)
{
    const std::size_t n = sizes.n_sources;
    Carver carver{base};
    carver.take(arrays.survey, 1);
    carver.take(arrays.frame, 1);
    carver.take(arrays.bodies, n);
    carver.take(arrays.softening, sizes.softening_by_body ? n : 0);
    carver.take(arrays.pairs.key, n);
    carver.take(arrays.pairs.spare_key, n);
    carver.take(arrays.pairs.value, n);
    carver.take(arrays.pairs.spare_value, n);
    carver.take(arrays.likeness, n + 1);
    carver.take(arrays.starts, n);
    carver.take(arrays.scratch, std::max(sort_pairs_scratch_bytes(sizes.where, n),
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

/// What the order of targets that are not the sources takes.
std::size_t carve(Backend where, std::size_t n, std::byte* base, SortBuffers& pairs, std::byte*& scratch)
{
    Carver carver{base};
    carver.take(pairs.key, n);
    carver.take(pairs.spare_key, n);
    carver.take(pairs.value, n);
    carver.take(pairs.spare_value, n);
    carver.take(scratch, sort_pairs_scratch_bytes(where, n));
    return carver.used;
}

}  // namespace

struct SourceTree::State {
    Buffer<std::byte> particle_bytes, node_bytes, target_bytes;
    std::optional<Sizes> carved;  ///< what `arrays` are laid out for
    ParticleArrays arrays{};
    NodeArrays nodes{};
    std::size_t most_leaves = 0;   ///< in the memory of the nodes, which does not shrink
    double leaves_over_usual = 1;  ///< expected of the next build, from the last one: its leaves, some more
    std::optional<device::PendingRead<Survey>> pending;
    TreeView view{};
    Selection sources;
    bool accelerations_known = false;
    bool keys_are_ordered = false;  ///< pairs.key holds those of the last build, on a GPU
    Index n_particles = 0;          ///< of the last build; indices that it left behind are below

    void order(Exec exec, const ConstParticlesView& p, const Selection& selection, SortBuffers& pairs,
               std::byte* scratch) const
    {
        order_along_curve(exec, p, selection, arrays.frame, pairs, scratch, &arrays.survey->crowded);
    }
    Survey read_survey(Backend where) const;
    void find_leaves_of(Exec exec, const ConstParticlesView& p, Index n, const CellRuns& runs, int leaf_size);
    void lay_out(const Sizes& sizes);
    void provide_nodes(const Sizes& sizes, std::size_t n_leaves, int leaf_size);
    Index expected_leaves(std::size_t usual) const;
    void make_nodes(Exec exec, const ConstParticlesView& p, const TypeSoftening& softening, Index most,
                    bool in_full_order);
};

SourceTree::SourceTree() : state_(std::make_unique<State>()) {}
SourceTree::~SourceTree() = default;
SourceTree::SourceTree(SourceTree&&) noexcept = default;
SourceTree& SourceTree::operator=(SourceTree&&) noexcept = default;

Survey SourceTree::State::read_survey(Backend where) const
{
    if (where == Backend::cpu) return *arrays.survey;
    Survey found;
    device::copy(&found, arrays.survey, sizeof found);
    return found;
}

/// Starts of leaves take memory that the sort needs no more.
void SourceTree::State::find_leaves_of(Exec exec, const ConstParticlesView& p, Index n, const CellRuns& runs,
                                       int leaf_size)
{
    compare_neighbours(exec, p, n, arrays.frame, arrays.pairs.key, arrays.pairs.value, runs, arrays.likeness);
    find_leaves(exec, n, static_cast<Index>(leaf_size), arrays.likeness, arrays.starts);
    select_flagged(exec, n, arrays.starts, arrays.pairs.spare_value, &arrays.survey->n_leaves,
                   arrays.scratch);
}

/// Sizes of scratch are asked of a library, so not again where they are known.
void SourceTree::State::lay_out(const Sizes& sizes)
{
    if (carved == sizes) return;
    carved.reset();  // the arrays are nowhere if there is no memory
    particle_bytes.require(sizes.where, carve(sizes, nullptr, arrays));
    carve(sizes, particle_bytes.data(), arrays);
    carved = sizes;
}

/// Memory for so many leaves; for the usual number at least, and where there are more for some more.
void SourceTree::State::provide_nodes(const Sizes& sizes, std::size_t n_leaves, int leaf_size)
{
    const bool by_body = sizes.softening_by_body;
    const std::size_t usual = usual_leaves(sizes.n_sources, leaf_size);
    if (std::max(n_leaves, usual) > most_leaves ||
        carve(most_leaves, by_body, nullptr, nodes) > node_bytes.size() ||
        node_bytes.where() != sizes.where) {
        most_leaves = n_leaves > usual ? n_leaves + n_leaves / 8 : usual;
        node_bytes.require(sizes.where, carve(most_leaves, by_body, nullptr, nodes));
    }
    carve(most_leaves, by_body, node_bytes.data(), nodes);
    if (!by_body) nodes.softening = nullptr;
}

/// For how many leaves nodes are made before their number is known: what the memory holds may be far more.
Index SourceTree::State::expected_leaves(std::size_t usual) const
{
    const double expected = leaves_over_usual * static_cast<double>(usual);
    return static_cast<Index>(std::min(expected, static_cast<double>(most_leaves)));
}

/// Bodies and nodes of the order that is there; `most` and `in_full_order` as in LeafCount.
void SourceTree::State::make_nodes(Exec exec, const ConstParticlesView& p, const TypeSoftening& softening,
                                   Index most, bool in_full_order)
{
    float* const lengths = softening.uniform ? nullptr : arrays.softening;
    const Index n = sources.size();
    gather_bodies(exec, p, n, arrays.frame, arrays.pairs.value, arrays.bodies, lengths, softening);
    view = {n,           0,           arrays.frame, arrays.bodies, arrays.pairs.value,
            nodes.heads, nodes.tails, nodes.boxes,  lengths,       nodes.softening};
    build_nodes(exec, view, {arrays.survey, most, in_full_order}, arrays.pairs.spare_value, arrays.likeness,
                nodes);
}

void SourceTree::build(Exec exec, const ConstParticlesView& p, const Selection& sources,
                       const TargetRequest& expected, const TypeSoftening& softening, int leaf_size)
{
    State& s = *state_;
    const bool alike = sources == expected.targets, by_body = !softening.uniform;
    const Index n = sources.size();
    const Sizes sizes{exec.backend, n, by_body};
    s.sources = sources;
    const bool again = s.carved == sizes && s.n_particles == p.n && s.keys_are_ordered &&
                       n >= fewest_near_order && n <= most_near_order;
    s.n_particles = p.n;
    s.lay_out(sizes);
    s.keys_are_ordered = false;
    ParticleArrays& a = s.arrays;

    clear_survey(exec, a.survey);
    survey_particles(exec, p, sources, true, alike ? expected.previous_acceleration : ConstVec3View{},
                     a.survey);
    const bool adds = !expected.previous_acceleration.absent() || !sources.covers(expected.targets, p.n);
    if (!alike && adds && expected.targets.size() > 0)
        survey_particles(exec, p, expected.targets, false, expected.previous_acceleration, a.survey);
    make_frame(exec, a.survey, a.frame);
    auto* const memory = reinterpret_cast<std::byte*>(a.bodies);
    if (again)
        order_along_curve_again(exec, p, sources, a.frame, a.pairs, memory, &a.survey->crowded);
    else
        s.order(exec, p, sources, a.pairs, a.scratch);
    s.find_leaves_of(exec, p, n, {}, leaf_size);

    // The host learns the number of leaves while a GPU makes the nodes of the usual case already.
    const bool ahead = exec.backend == Backend::cuda;
    const std::size_t usual = usual_leaves(n, leaf_size);
    Index made = 0;
    if (ahead) {
        if (!s.pending) s.pending.emplace();
        s.pending->begin(exec.stream, a.survey);
        s.provide_nodes(sizes, usual, leaf_size);
        made = s.expected_leaves(usual);
        s.make_nodes(exec, p, softening, made, false);
    }
    Survey found = ahead ? s.pending->get() : *a.survey;
    const bool crowded = found.crowded > 0;
    if (crowded) {
        if (again)
            s.order(exec, p, sources, a.pairs, a.scratch);  // whether cells or the old order are at fault
        const FullOrder full{a.pairs, memory, a.starts, a.scratch, a.survey};
        s.find_leaves_of(exec, p, n, order_fully(exec, p, n, a.frame, full), leaf_size);
        found = s.read_survey(exec.backend);
    }
    if (!ahead || crowded || found.n_leaves > made) {
        s.provide_nodes(sizes, found.n_leaves, leaf_size);
        s.make_nodes(exec, p, softening, found.n_leaves, true);
    }
    s.leaves_over_usual = std::max(1.0, 1.125 * found.n_leaves / static_cast<double>(usual));
    s.view.n_leaves = found.n_leaves;
    s.keys_are_ordered = ahead && !crowded;
    s.accelerations_known = found.any_acceleration > 0;
}

bool SourceTree::has_accelerations(Exec exec, const ConstParticlesView& particles,
                                   const TargetRequest& request)
{
    if (request.previous_acceleration.absent()) return false;
    Survey* const survey = state_->arrays.survey;  // the build needs it no more
    clear_survey(exec, survey);
    survey_particles(exec, particles, request.targets, false, request.previous_acceleration, survey);
    return state_->read_survey(exec.backend).any_acceleration > 0;
}

const Index* SourceTree::ordered(Exec exec, const ConstParticlesView& particles, const Selection& targets)
{
    State& s = *state_;
    if (targets == s.sources) return s.view.order;
    SortBuffers pairs;
    std::byte* scratch;
    s.target_bytes.require(exec.backend, carve(exec.backend, targets.size(), nullptr, pairs, scratch));
    carve(exec.backend, targets.size(), s.target_bytes.data(), pairs, scratch);
    s.order(exec, particles, targets, pairs, scratch);
    return pairs.value;
}

TreeView SourceTree::view() const { return state_->view; }
bool SourceTree::accelerations_known() const { return state_->accelerations_known; }

std::size_t SourceTree::bytes(Backend where, std::size_t n, const TypeSoftening& softening, int leaf_size)
{
    ParticleArrays arrays;
    NodeArrays nodes;
    const bool by_body = !softening.uniform;
    return carve({where, n, by_body}, nullptr, arrays) +
           carve(usual_leaves(n, leaf_size), by_body, nullptr, nodes);
}

}  // namespace aureole::gravity::tree
