// The loops of potential_kernels.hpp for each set of instructions. Targets lie in vector lanes and the loop
// runs over sources, 15 vector operations for each; in double sources lie in lanes. Compiled without
// contraction, so that double terms are the same on every path.

#include "halo/centres/potential_kernels.hpp"
#include "sim/core/simd/instructions.hpp"
#include "sim/core/simd/pack.hpp"

namespace aureole::halo {
namespace {  // each instruction set keeps its own copy: a shared one could run where it must not

constexpr int float_terms = 32;  ///< summed in float before they go to double
constexpr int partial_sums = 8;  ///< of one target in double

template <class Isa, bool own>
void add_to_vectors(const TargetBlock& targets, int first, const SourceRun& sources, float eps2,
                    BlockSums& sums)
{
    using P = Pack<Isa, float>;
    constexpr int vectors = 2;
    P x[vectors], y[vectors], z[vectors], least[vectors];
    for (int k = 0; k < vectors; ++k) {
        const int at = first + k * P::lanes;
        x[k] = P::load(targets.x + at);
        y[k] = P::load(targets.y + at);
        z[k] = P::load(targets.z + at);
        least[k] = P::load(sums.least + at);
    }
    for (int begin = 0; begin < sources.n; begin += float_terms) {
        const int end = begin + float_terms < sources.n ? begin + float_terms : sources.n;
        P potential[vectors], slope[vectors];
        for (int k = 0; k < vectors; ++k) potential[k] = slope[k] = P(0);
        for (int j = begin; j < end; ++j) {
            const P xj(sources.x[j]), yj(sources.y[j]), zj(sources.z[j]), mass(sources.mass[j]);
#pragma GCC unroll 2
            for (int k = 0; k < vectors; ++k) {
                const P dx = xj - x[k], dy = yj - y[k], dz = zj - z[k];
                P s2 = fma(dz, dz, fma(dy, dy, fma(dx, dx, P(eps2)))), m = mass;
                if constexpr (own) {
                    const auto other = P::differs(targets.number + first + k * P::lanes, sources.first + j);
                    s2 = select(other, s2, P(16));  // farther than any: no target is its own neighbour
                    m = select(other, m, P(0));
                }
                least[k] = min(s2, least[k]);
                const P inverse = Isa::corrected_rsqrt(s2.v), term = m * inverse;
                potential[k] = potential[k] + term;
                slope[k] = fma(term, inverse, slope[k]);
            }
        }
        for (int k = 0; k < vectors; ++k) {
            add_lanes(potential[k], 1, sums.potential + first + k * P::lanes);
            add_lanes(slope[k], 1, sums.slope + first + k * P::lanes);
        }
    }
    for (int k = 0; k < vectors; ++k) least[k].store(sums.least + first + k * P::lanes);
}

template <class Isa>
void add_sources(const TargetBlock& targets, const SourceRun& sources, float eps2, BlockSums& sums)
{
    for (int first = 0; first < block_targets; first += 2 * Pack<Isa, float>::lanes)
        if (sources.first == SourceRun::no_targets)
            add_to_vectors<Isa, false>(targets, first, sources, eps2, sums);
        else
            add_to_vectors<Isa, true>(targets, first, sources, eps2, sums);
}

/// m / s of body j, 0 where s is: the scalar form of the vector formula below.
inline double pair_term(const BodiesView& bodies, std::size_t target, std::size_t j, double eps2)
{
    const double dx = bodies.x[j] - bodies.x[target];
    const double dy = bodies.y[j] - bodies.y[target];
    const double dz = bodies.z[j] - bodies.z[target];
    const double s2 = dx * dx + dy * dy + dz * dz + eps2;
    return s2 > 0 ? bodies.mass[j] / __builtin_sqrt(s2) : 0.0;
}

/// Hands the terms of all bodies but the target to `sum`: eight at a time, the odd ones singly.
template <class Isa, class Sum>
void for_each_term(const BodiesView& bodies, std::size_t target, double eps2, Sum& sum)
{
    using P = Pack<Isa, double>;
    const P x(bodies.x[target]), y(bodies.y[target]), z(bodies.z[target]);
    for (std::size_t begin = 0; begin < bodies.n; begin += partial_sums) {
        const bool whole = begin + partial_sums <= bodies.n;
        if (!whole || target - begin < partial_sums) {
            for (std::size_t j = begin; j < (whole ? begin + partial_sums : bodies.n); ++j)
                if (j != target) sum.add_one(static_cast<int>(j - begin), pair_term(bodies, target, j, eps2));
            continue;
        }
        for (int lane = 0; lane < partial_sums; lane += P::lanes) {
            const std::size_t j = begin + static_cast<std::size_t>(lane);
            const P dx = P::load(bodies.x + j) - x, dy = P::load(bodies.y + j) - y,
                    dz = P::load(bodies.z + j) - z;
            const P s2 = dx * dx + dy * dy + dz * dz + P(eps2);
            const P term = P::load(bodies.mass + j) / P(Isa::sqrt(s2.v));
            sum.add(lane / P::lanes, select(P(0) < s2, term, P(0)));
        }
    }
}

template <class Isa>
struct DoubleSum {
    using P = Pack<Isa, double>;
    P vector[partial_sums / P::lanes];
    double single[partial_sums] = {};

    DoubleSum()
    {
        for (P& v : vector) v = P(0);
    }
    void add(int k, P term) { vector[k] += term; }
    void add_one(int lane, double term) { single[lane] += term; }
    double total() const
    {
        double lanes[partial_sums], sum = 0;
        for (int k = 0; k < partial_sums / P::lanes; ++k) vector[k].store(lanes + k * P::lanes);
        for (int lane = 0; lane < partial_sums; ++lane) sum += lanes[lane] + single[lane];
        return sum;
    }
};

template <class Isa>
struct IntegerSum {
    using P = Pack<Isa, double>;
    using Integers = typename P::Mask;
    double unit;
    Integers whole{}, part{};
    std::int64_t single_whole = 0, single_part = 0;

    explicit IntegerSum(double u) : unit(u) {}
    void add(int, P term)
    {
        const P scaled = term * P(unit);
        const Integers integer = __builtin_convertvector(scaled.v, Integers);
        const P rest = (scaled - P(__builtin_convertvector(integer, typename P::Raw))) * P(0x1p31);
        whole += integer;
        part += __builtin_convertvector(rest.v, Integers);
    }
    void add_one(int, double term)
    {
        const double scaled = term * unit;
        const auto integer = static_cast<std::int64_t>(scaled);
        single_whole += integer;
        single_part += static_cast<std::int64_t>((scaled - static_cast<double>(integer)) * 0x1p31);
    }
    SplitSum total() const
    {
        SplitSum sum{single_whole, single_part};
        for (int lane = 0; lane < P::lanes; ++lane) {
            sum.whole += whole[lane];
            sum.part += part[lane];
        }
        return sum;
    }
};

template <class Isa>
double potential_of(const BodiesView& bodies, std::size_t target, double eps2)
{
    DoubleSum<Isa> sum;
    for_each_term<Isa>(bodies, target, eps2, sum);
    return sum.total();
}

template <class Isa>
SplitSum fixed_potential_of(const BodiesView& bodies, std::size_t target, double eps2, double unit)
{
    IntegerSum<Isa> sum(unit);
    for_each_term<Isa>(bodies, target, eps2, sum);
    return sum.total();
}

template <class Isa>
void add_multipoles(const MultipoleRun& sources, Vec3 centre, double eps2, list_tree::Expansion<double>& to)
{
    using P = Pack<Isa, double>;
    constexpr int vectors = partial_sums / P::lanes;
    list_tree::Expansion<P> sum[vectors];
    for (auto& vector : sum)
        for (P& term : vector.term) term = P(0);
    for (int begin = 0; begin < sources.n; begin += partial_sums)
        for (int k = 0; k < vectors; ++k) {
            list_tree::Multipole<P> source;
            for (int t = 0; t < list_tree::Multipole<P>::terms; ++t)
                source.term[t] = P::load(sources.term[t] + begin + k * P::lanes);
            const P dx = P(centre.x) - source.term[0], dy = P(centre.y) - source.term[1],
                    dz = P(centre.z) - source.term[2];
            const P s2 = dx * dx + dy * dy + dz * dz + P(eps2);
            list_tree::add_multipole(source, dx, dy, dz, P(1) / P(Isa::sqrt(s2.v)), sum[k]);
        }
    for (int t = 0; t < list_tree::Expansion<P>::terms; ++t) {
        double part[partial_sums], total = 0;
        for (int k = 0; k < vectors; ++k) sum[k].term[t].store(part + k * P::lanes);
        for (const double x : part) total += x;
        to.term[t] += total;
    }
}

template <class Isa>
void add_leaf(const LeafTargets& targets, const BodiesView& sources, bool own, double eps2, double* potential)
{
    using P = Pack<Isa, double>;
    for (int first = 0; first < leaf_targets; first += P::lanes) {
        const P x = P::load(targets.x + first), y = P::load(targets.y + first),
                z = P::load(targets.z + first);
        P sum = P::load(potential + first);
        for (std::size_t j = 0; j < sources.n; ++j) {
            const P dx = P(sources.x[j]) - x, dy = P(sources.y[j]) - y, dz = P(sources.z[j]) - z;
            const P s2 = dx * dx + dy * dy + dz * dz + P(eps2);
            P term = select(P(list_tree::least_squared) <= s2, P(sources.mass[j]) / P(Isa::sqrt(s2.v)), P(0));
            if (own)
                term = select(P::differs(targets.number + first, static_cast<std::int64_t>(j)), term, P(0));
            sum += term;
        }
        sum.store(potential + first);
    }
}

template <class Isa>
const PotentialKernels& kernels_of()
{
    static constexpr PotentialKernels kernels{add_sources<Isa>, potential_of<Isa>, fixed_potential_of<Isa>,
                                              add_multipoles<Isa>, add_leaf<Isa>};
    return kernels;
}

}  // namespace

const PotentialKernels& AUREOLE_FOR_INSTRUCTIONS(potential_kernels)()
{
    return kernels_of<simd::Instructions>();
}

}  // namespace aureole::halo
