// The phases of a spanning tree:
//  1. points: particles in the order of their ids; those at the same place are joined by edges of length 0
//  and
//     make one point (cloud_points.hpp);
//  2. tree: median order and boxes (median_sort.hpp, cloud_points.hpp);
//  3. rounds of Boruvka (boruvka.hpp) until n - 1 edges are found;
//  4. edges in canonical order (sort_edges() of boruvka.hpp), and the nearest points of particles that do not
//  link.
// Cost: n log n; memory: about 170 bytes a particle in space, 240 in phase space.
#include "halo/spanning_tree/spanning_tree.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "halo/copy_bytes.hpp"
#include "halo/needed_arrays.hpp"
#include "halo/particle_summary.hpp"
#include "halo/spanning_tree/boruvka.hpp"
#include "halo/spanning_tree/cloud_points.hpp"
#include "halo/spanning_tree/median_sort.hpp"
#include "halo/spanning_tree/nearest_outside.hpp"
#include "halo/spanning_tree/spanning_tree_scratch.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/spatial/median_order.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo {

namespace {

/// Beyond this a squared distance may not be a finite number.
constexpr double largest_coordinate = 1e150;

void expect_within(const char* what, Vec3 low, Vec3 high, double limit)
{
    for (const double x : {low.x, low.y, low.z, high.x, high.y, high.z})
        AUREOLE_EXPECT(
            std::abs(x) <= limit,
            "spanning tree: a particle has the {} {}, expected at most {} so that squared distances "
            "are finite",
            what, x, limit);
}

/// As everywhere in this module, a ratio whose square underflows means space alone.
bool in_phase_space(const SpanningTreeConfig& config)
{
    return config.velocity_scale * config.velocity_scale >= std::numeric_limits<double>::min();
}

class Build {
public:
    Build(Exec exec, const ConstParticlesView& particles, const SpanningTreeConfig& config,
          SpanningTreeScratch& scratch, const Progress& progress)
        : exec_(exec),
          particles_(particles),
          config_(config),
          scratch_(scratch),
          progress_(progress),
          source_{particles, config.box, in_phase_space(config), config.linking_types},
          n_(particles.n)
    {
        scratch_.times = {};
        scratch_.provide(exec, source_);
    }

    SpanningTree run()
    {
        progress_.at(0, "sorting particles");
        summarize();
        rank_particles();
        const Index n_points = find_points();
        clock(scratch_.times.points);
        return source_.phase_space ? connect<6>(n_points) : connect<3>(n_points);
    }

private:
    using Clock = std::chrono::steady_clock;

    void summarize();
    void rank_particles();
    Index find_points();
    template <int dimensions>
    SpanningTree connect(Index n_points);
    template <int dimensions>
    BoruvkaTask<dimensions> build_tree(Index n_points);
    template <int dimensions>
    MedianPoint<dimensions>* order_points(const BalancedTree& tree, MedianPoint<dimensions>* points);
    template <int dimensions>
    void join_others(const BoruvkaTask<dimensions>& task, SpanningTree& result);
    template <int dimensions>
    void measure_cores(BoruvkaTask<dimensions>& task);
    template <int dimensions>
    void run_rounds(const BoruvkaTask<dimensions>& task);
    void sort_edges_into(SpanningTree& result);
    void refuse(Index bad, const char* what, const ConstVec3View& x);

    template <class T>
    T* require(Buffer<T>& buffer, std::size_t n)
    {
        buffer.require(exec_.backend, n);
        return buffer.data();
    }
    SortBuffers pairs()
    {
        return {scratch_.key.data(), scratch_.spare_key.data(), scratch_.value.data(),
                scratch_.spare_value.data()};
    }
    EdgeArrays edges()
    {
        return {scratch_.edge_squared.data(), scratch_.edge_ranks.data(), scratch_.counters.data()};
    }
    void wait()
    {
        if (exec_.backend == Backend::cuda) device::synchronize();
    }
    void copy(void* to, const void* from, std::size_t bytes) { copy_bytes(exec_, to, from, bytes); }
    template <class T>
    T fetched(const T* from)
    {
        T value;
        copy(&value, from, sizeof value);
        return value;
    }
    template <class T>
    void set(T* to, T value)
    {
        copy(to, &value, sizeof value);
    }
    template <class T>
    std::vector<T> to_host(const T* from, std::size_t n)
    {
        std::vector<T> result(n);
        copy(result.data(), from, n * sizeof(T));
        return result;
    }
    void clock(double& seconds)
    {
        wait();
        const Clock::time_point now = Clock::now();
        seconds = std::chrono::duration<double>(now - last_).count();
        last_ = now;
    }

    Exec exec_;
    ConstParticlesView particles_;
    SpanningTreeConfig config_;
    SpanningTreeScratch& scratch_;
    const Progress& progress_;
    CloudSource source_;
    Index n_;
    Index n_linking_ = 0;
    Clock::time_point last_ = Clock::now();
};

void Build::summarize()
{
    ParticleSummary summary = ParticleSummary::empty();
    set(scratch_.summary.data(), summary);
    summarize_particles(exec_, particles_, config_.box, config_.linking_types, scratch_.summary.data());
    if (source_.phase_space) summarize_velocities(exec_, particles_, scratch_.summary.data());
    summary = fetched(scratch_.summary.data());
    refuse(summary.first_bad, "is at", particles_.position);
    expect_within("coordinate", summary.lowest(), summary.highest(), largest_coordinate);
    if (source_.phase_space) {
        refuse(summary.first_bad_velocity, "has velocity", particles_.velocity);
        expect_within("velocity", summary.lowest_velocity(), summary.highest_velocity(),
                      largest_coordinate / std::max(1.0, config_.velocity_scale));
    }
    n_linking_ = summary.n_linking;
    AUREOLE_EXPECT(config_.min_samples == 1 || config_.min_samples <= n_linking_,
                   "spanning tree: min_samples is {}, expected at most the number of particles that link, {}",
                   config_.min_samples, n_linking_);
}

void Build::refuse(Index bad, const char* what, const ConstVec3View& x)
{
    if (bad == ParticleSummary::none) return;
    throw Error(
        fmt::format("spanning tree: particle {} (id {}) {} ({}, {}, {}), expected finite numbers: the "
                    "particles are damaged before the search",
                    bad, fetched_id(exec_, particles_, bad), what, fetched(x.x + bad), fetched(x.y + bad),
                    fetched(x.z + bad)));
}

/// by_rank: particles that link by rising id, then the others.
void Build::rank_particles()
{
    SortBuffers sorted = pairs();
    make_id_keys(exec_, source_, sorted);
    sort_pairs(exec_, n_, sorted, 64, scratch_.sort_scratch.data());
    if (n_linking_ < n_) {
        make_linking_keys(exec_, source_, sorted);
        sort_pairs(exec_, n_, sorted, 1, scratch_.sort_scratch.data());
    }
    copy(scratch_.by_rank.data(), sorted.value, n_ * sizeof(Index));
}

/// Ranks of the points to `value`; those left out are joined already. Returns how many points there are.
Index Build::find_points()
{
    set(edges().n, Index{0});
    if (n_linking_ == 0) return 0;
    SortBuffers sorted = pairs();
    const Index* const by_rank = scratch_.by_rank.data();
    make_place_keys(exec_, source_, by_rank, n_linking_, sorted);
    sort_pairs(exec_, n_linking_, sorted, place_key_bits, scratch_.sort_scratch.data());
    join_coincident(exec_, source_, by_rank, n_linking_, sorted, scratch_.is_point.data(), edges());
    Index* const n_points = scratch_.counters.data() + 1;
    select_flagged(exec_, n_linking_, scratch_.is_point.data(), scratch_.value.data(), n_points,
                   scratch_.sort_scratch.data());
    return fetched(n_points);
}

template <int dimensions>
SpanningTree Build::connect(Index n_points)
{
    SpanningTree result;
    result.n_particles = n_;
    result.n_linking = n_linking_;
    if (n_linking_ == 0) return result;
    progress_.at(0.1, "building the tree of points");
    BoruvkaTask<dimensions> task = build_tree<dimensions>(n_points);
    clock(scratch_.times.tree);
    start_components(exec_, task);
    if (config_.min_samples > 1) measure_cores(task);
    clock(scratch_.times.cores);
    run_rounds(task);
    clock(scratch_.times.rounds);
    progress_.at(0.9, "sorting edges");
    sort_edges_into(result);
    join_others(task, result);
    clock(scratch_.times.edges);
    return result;
}

template <int dimensions>
BoruvkaTask<dimensions> Build::build_tree(Index n_points)
{
    Cloud<dimensions> cloud{BalancedTree::over(n_points, cloud_leaf_size),
                            {config_.box, config_.velocity_scale},
                            {},
                            reinterpret_cast<CloudBox<dimensions>*>(scratch_.box.data())};
    for (int k = 0; k < dimensions; ++k)
        cloud.coordinate[k] = scratch_.coordinate.data() + std::size_t{n_points} * k;
    auto* const points = reinterpret_cast<MedianPoint<dimensions>*>(scratch_.median.data());
    load_points(exec_, source_, scratch_.by_rank.data(), scratch_.value.data(), n_points, points);
    fill_cloud(exec_, order_points(cloud.tree, points), cloud, scratch_.rank.data());
    return {cloud,
            {scratch_.rank.data(),
             {scratch_.parent.data()},
             scratch_.colour.data(),
             scratch_.node_colour.data(),
             scratch_.nearest.data(),
             scratch_.cleared.data(),
             scratch_.nearest_squared.data(),
             scratch_.best_squared.data(),
             scratch_.best_ranks.data(),
             scratch_.best_point.data()},
            edges()};
}

/// Returns where the ordered points are.
template <int dimensions>
MedianPoint<dimensions>* Build::order_points(const BalancedTree& tree, MedianPoint<dimensions>* points)
{
    MedianAxes<dimensions> axes{};
    for (int k = 0; k < dimensions; ++k) axes.scale[k] = k < 3 ? 1 : config_.velocity_scale;
    if (exec_.backend == Backend::cpu) {
        order_by_medians(tree, std::span(points, tree.n), axes);
        return points;
    }
    static_assert(sizeof(MedianExtent<dimensions>) == sizeof(CloudBox<dimensions>));  // boxes come later
    const MedianSort<dimensions> task{
        tree,
        axes,
        points,
        reinterpret_cast<MedianPoint<dimensions>*>(require(scratch_.spare_median, scratch_.median.size())),
        reinterpret_cast<MedianExtent<dimensions>*>(scratch_.box.data()),
        pairs(),
        scratch_.sort_scratch.data()};
    return sort_by_medians(exec_, task);
}

template <int dimensions>
void Build::measure_cores(BoruvkaTask<dimensions>& task)
{
    progress_.at(0.15, "finding core distances");
    const Index n_points = task.cloud.tree.n, k = config_.min_samples;
    const std::size_t in_heaps =
        exec_.backend == Backend::cuda ? std::size_t{points_at_once(n_points, k)} * k : 0;
    find_core_distances(
        exec_, task, fetched(task.edges.n),
        {k, scratch_.value.data(), scratch_.spare_value.data(), require(scratch_.heaps, in_heaps),
         require(scratch_.core, n_points), require(scratch_.node_core, task.cloud.tree.n_places())});
}

template <int dimensions>
void Build::run_rounds(const BoruvkaTask<dimensions>& task)
{
    for (Index n_edges = fetched(task.edges.n); n_edges + 1 < n_linking_;) {
        progress_.at(0.2 + 0.7 * n_edges / n_linking_, "joining components");
        join_components(exec_, task);
        const Index before = n_edges;
        n_edges = fetched(task.edges.n);
        AUREOLE_EXPECT(n_edges > before, "spanning tree: a round found no edge after {} of {}", before,
                       n_linking_ - 1);
        ++scratch_.times.n_rounds;
    }
}

void Build::sort_edges_into(SpanningTree& result)
{
    const Index n_edges = n_linking_ - 1;
    auto* const sorted = require(scratch_.edge, n_edges);
    sort_edges(exec_, edges(), n_edges, n_linking_, scratch_.by_rank.data(), pairs(),
               scratch_.sort_scratch.data(), sorted);
    result.edges = to_host(sorted, n_edges);
}

template <int dimensions>
void Build::join_others(const BoruvkaTask<dimensions>& task, SpanningTree& result)
{
    const Index n_others = n_ - n_linking_;
    if (n_others == 0) return;
    Index* const nearest = scratch_.spare_value.data();  // the sorts are over
    auto* const squared = reinterpret_cast<double*>(scratch_.spare_key.data());
    const Index* const others = scratch_.by_rank.data() + n_linking_;
    find_nearest_points(exec_, source_, others, n_others, task.cloud, task.points.rank, nearest, squared);
    const std::vector<Index> by_rank = to_host(scratch_.by_rank.data(), n_);
    const std::vector<Index> rank = to_host(nearest, n_others);
    const std::vector<double> lengths = to_host(squared, n_others);
    for (Index k = 0; k < n_others; ++k)
        result.joins.push_back({by_rank[n_linking_ + k], by_rank[rank[k]], lengths[k]});
    std::sort(result.joins.begin(), result.joins.end(),
              [](const auto& a, const auto& b) { return a.particle < b.particle; });
}

void expect_sound(Exec exec, const ConstParticlesView& particles, const SpanningTreeConfig& config)
{
    expect_arrays(particles, exec.backend, "the spanning tree", {.velocity = in_phase_space(config)});
    AUREOLE_EXPECT(std::isfinite(config.box.side) && config.box.side >= 0,
                   "box side {}, expected 0 (open) or a positive number", config.box.side);
    AUREOLE_EXPECT(config.min_samples > 0, "min_samples is 0, expected at least 1");
    AUREOLE_EXPECT(config.velocity_scale >= 0 && config.velocity_scale <= largest_coordinate,
                   "velocity scale {}, expected 0 (in space alone) or a positive length per velocity",
                   config.velocity_scale);
}

}  // namespace

SpanningTreeFinder::SpanningTreeFinder() : scratch_(std::make_unique<SpanningTreeScratch>()) {}
SpanningTreeFinder::~SpanningTreeFinder() = default;

SpanningTree SpanningTreeFinder::find(Exec exec, const ConstParticlesView& particles,
                                      const SpanningTreeConfig& config, const Progress& progress)
{
    expect_sound(exec, particles, config);
    if (particles.n == 0) return {};
    return Build(exec, particles, config, *scratch_, progress).run();
}

const SpanningTreeTimes& SpanningTreeFinder::times() const { return scratch_->times; }

}  // namespace aureole::halo
