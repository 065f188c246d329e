#include "sim/analysis/disk_loops_dual.hpp"
#include "sim/analysis/disk_loops.hpp"

#include "sim/core/atomics.hpp"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole::run {
namespace {

/// term(i) for i in [0, n), added up by pieces.
template <class Term>
void sum_disk(Exec exec, Index n, DiskSum* sums, Term term)
{
    for_each(exec, disk_pieces(n), [=] AUREOLE_HD(Index piece) {
        const Index begin = piece * disk_piece, end = n - begin < disk_piece ? n : begin + disk_piece;
        DiskSum sum{0, {}};
        for (Index i = begin; i < end; ++i) {
            const DiskSum one = term(i);
            sum.mass += one.mass;
            sum.vector = sum.vector + one.vector;
        }
        sums[piece] = sum;
    });
}

/// Velocity in cylindrical coordinates: R, phi, z; that of a particle on the axis counts as vertical alone.
AUREOLE_HD inline Vec3 cylindrical(const DiskView& disk, Index i)
{
    const Vec3 x = disk.position[i], v = disk.velocity[i];
    const double r = disk.radius[i];
    if (!(r > 0)) return {0, 0, v.z};
    return {(x.x * v.x + x.y * v.y) / r, (x.x * v.y - x.y * v.x) / r, v.z};
}

AUREOLE_HD inline Vec3 in_axes(const DiskFrame& frame, Vec3 v)
{
    return {dot(frame.x_axis, v), dot(frame.y_axis, v), dot(frame.axis, v)};
}

/// Greater for smaller terms.
AUREOLE_HD inline std::uint64_t from_above(double term)
{
    return static_cast<std::uint64_t>(2048 - sum_exponent(term));
}

AUREOLE_HD inline void add_shared(OrderFreeSum* to, const OrderFreeSum& sum)
{
    for (int k = 0; k < OrderFreeSum::n_digits; ++k)
        if (sum.digit[k] != 0) atomic_add(&to->digit[k], sum.digit[k]);
}

/// How many threads take n particles.
AUREOLE_HD inline Index threads_for(Index n) { return n / of_one_thread + (n % of_one_thread > 0 ? 1 : 0); }

}  // namespace

void find_members(Exec exec, const ConstParticlesView& particles, std::uint8_t types,
                  const Component* components, Index n_components, std::uint8_t* counted)
{
    for_each(exec, particles.n, [=] AUREOLE_HD(Index i) {
        bool among = n_components == 0;
        for (Index k = 0; k < n_components; ++k) among |= particles.component_of(i) == components[k];
        counted[i] = among && (types >> particles.type_of(i) & 1) != 0 ? 1 : 0;
    });
}

void find_ids(Exec exec, const ConstParticlesView& particles, Index n, const Index* number, std::uint64_t* id,
              Index* order)
{
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        id[k] = particles.id_of(number[k]);
        order[k] = number[k];
    });
}

void take_members(Exec exec, const ConstParticlesView& particles, Index n, const Index* number,
                  const DiskTargets& to)
{
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        const Index i = number[k];
        to.mass[k] = particles.mass[i];
        to.position[k] = particles.position.load(i);
        to.velocity[k] = particles.velocity.absent() ? Vec3{} : particles.velocity.load(i);
    });
}

void split_positions(Exec exec, const DiskView& disk, double* x, double* y, double* z)
{
    for_each(exec, disk.n, [=] AUREOLE_HD(Index i) {
        x[i] = disk.position[i].x;
        y[i] = disk.position[i].y;
        z[i] = disk.position[i].z;
    });
}

void find_disk_radii(Exec exec, const DiskView& disk, Vec3 centre, std::uint64_t* radius, Index* order)
{
    for_each(exec, disk.n, [=] AUREOLE_HD(Index i) {
        radius[i] = ordered_bits(length(disk.position[i] - centre));
        order[i] = i;
    });
}

void sum_momenta(Exec exec, const DiskView& disk, Index n, const Index* order, DiskSum* sums)
{
    sum_disk(exec, n, sums, [=] AUREOLE_HD(Index k) {
        const Index i = order[k];
        return DiskSum{disk.mass[i], disk.mass[i] * disk.velocity[i]};
    });
}

void sum_angular_momenta(Exec exec, const DiskView& disk, Vec3 centre, Vec3 velocity, double reach,
                         DiskSum* sums)
{
    sum_disk(exec, disk.n, sums, [=] AUREOLE_HD(Index i) {
        const Vec3 x = disk.position[i] - centre;
        if (length(x) > reach) return DiskSum{0, {}};
        return DiskSum{0, disk.mass[i] * cross(x, disk.velocity[i] - velocity)};
    });
}

void find_in_frame(Exec exec, const DiskView& disk, const DiskFrame& frame, const DiskTargets& to,
                   std::uint64_t* radius, Index* order)
{
    for_each(exec, disk.n, [=] AUREOLE_HD(Index i) {
        const Vec3 x = in_axes(frame, disk.position[i] - frame.centre);
        to.mass[i] = disk.mass[i];
        to.position[i] = x;
        to.velocity[i] = in_axes(frame, disk.velocity[i] - frame.velocity);
        radius[i] = ordered_bits(std::hypot(x.x, x.y));
        order[i] = i;
    });
}

void take_in_order(Exec exec, const DiskView& from, const std::uint64_t* bits, const Index* order,
                   const DiskTargets& to, double* radius)
{
    for_each(exec, from.n, [=] AUREOLE_HD(Index k) {
        const Index i = order[k];
        to.mass[k] = from.mass[i];
        to.position[k] = from.position[i];
        to.velocity[k] = from.velocity[i];
        radius[k] = from_ordered_bits(bits[k]);
    });
}

void sum_moments(Exec exec, const DiskView& disk, const RangeSums& to)
{
    sum_ranges<MomentPlaces::width>(exec, to, [=] AUREOLE_HD(double* s, Index, Index i) {
        using P = MomentPlaces;
        const double m = disk.mass[i], r = disk.radius[i];
        const Vec3 x = disk.position[i], v = cylindrical(disk, i);
        s[P::mass] += m;
        s[P::square] += m * m;
        s[P::velocity] += m * v.x;
        s[P::velocity + 1] += m * v.y;
        s[P::velocity + 2] += m * v.z;
        s[P::height] += m * x.z;
        s[P::plane] += m * x.x * x.x;
        s[P::plane + 1] += m * x.x * x.y;
        s[P::plane + 2] += m * x.y * x.y;
        if (!(r > 0)) return;
        const double cosine = x.x / r, sine = x.y / r;
        double real = m, imaginary = 0;
        for (int h = 0; h < 4; ++h) {
            const double next = real * cosine - imaginary * sine;
            imaginary = real * sine + imaginary * cosine;
            real = next;
            s[P::harmonics + 2 * h] += real;
            s[P::harmonics + 2 * h + 1] += imaginary;
        }
        s[P::bending] += m * x.z * (cosine * cosine - sine * sine);
        s[P::bending + 1] += m * x.z * (2 * cosine * sine);
    });
}

void sum_squares(Exec exec, const DiskView& disk, const RangeSums& to, const RangeMeans* means)
{
    sum_ranges<5>(exec, to, [=] AUREOLE_HD(double* s, Index r, Index i) {
        const double m = disk.mass[i], z = disk.position[i].z - means[r].height;
        const Vec3 v = cylindrical(disk, i) - means[r].velocity;
        s[0] += m * v.x * v.x;
        s[1] += m * v.y * v.y;
        s[2] += m * v.z * v.z;
        s[3] += m * v.x * v.y;
        s[4] += m * z * z;
    });
}

void sum_pattern(Exec exec, const DiskView& disk, const RangeSums& to, const PatternRegion& region, int m)
{
    sum_ranges<5>(exec, to, [=] AUREOLE_HD(double* s, Index, Index i) {
        const PatternTerms t = pattern_terms(region, m, disk.mass[i], disk.position[i], disk.velocity[i]);
        s[0] += t.weight;
        s[1] += t.cosine;
        s[2] += t.sine;
        s[3] += t.cosine_rate;
        s[4] += t.sine_rate;
    });
}

void sum_pattern_squares(Exec exec, const DiskView& disk, const RangeSums& to, const PatternRegion& region,
                         int m, const PatternSlopes& of)
{
    const double c = of.cosine, s = of.sine, squared = c * c + s * s;
    sum_ranges<3>(exec, to, [=] AUREOLE_HD(double* sums, Index, Index i) {
        const PatternTerms t = pattern_terms(region, m, disk.mass[i], disk.position[i], disk.velocity[i]);
        const double amplitude =
            of.amplitude * ((c * t.cosine + s * t.sine) / squared - t.weight / of.weight);
        const double phase = (c * t.sine - s * t.cosine) / (m * squared);
        const double speed = of.by_cosine * t.cosine + of.by_sine * t.sine +
                             (c * t.sine_rate - s * t.cosine_rate) / (m * squared);
        sums[0] += amplitude * amplitude;
        sums[1] += phase * phase;
        sums[2] += speed * speed;
    });
}

void find_heights(Exec exec, const DiskView& disk, const RangeSums& of, const RangeMeans* means,
                  std::uint64_t* height, Index* order)
{
    for_each(exec, disk.n, [=] AUREOLE_HD(Index i) {
        const Index r = range_at(of, &DiskRange::begin, i);
        height[i] = ordered_bits(std::abs(disk.position[i].z - means[r].height));
        order[i] = i;
    });
}

void find_ranges(Exec exec, Index n, const RangeSums& of, const Index* order, std::uint64_t* range)
{
    for_each(exec, n, [=] AUREOLE_HD(Index k) { range[k] = range_at(of, &DiskRange::begin, order[k]); });
}

void find_half_heights(Exec exec, const DiskView& disk, const RangeSums& of, const RangeMeans* means,
                       const Index* order, const double* mass, double* half)
{
    for_each(exec, of.n_pieces, [=] AUREOLE_HD(Index k) {
        const DiskRange range = of.range[range_at(of, &DiskRange::pieces, k)];
        const Index first = range.begin + (k - range.pieces) * range_piece;
        const Index last = range.end - first < range_piece ? range.end : first + range_piece;
        double sum = 0;
        for (Index i = first; i < last; ++i) sum += disk.mass[order[i]];
        of.pieces[k] = sum;
    });
    for_each(exec, of.n_ranges, [=] AUREOLE_HD(Index r) {
        const DiskRange range = of.range[r];
        const double rounding = 1e-12 * mass[r], least = mass[r] / 2 - rounding;
        const auto height = [=](Index i) { return std::abs(disk.position[order[i]].z - means[r].height); };
        double inside = 0;
        Index piece = 0;
        while (piece + 1 < pieces_in(range) && inside + of.pieces[range.pieces + piece] < least)
            inside += of.pieces[range.pieces + piece++];
        Index i = range.begin + piece * range_piece;
        for (; i + 1 < range.end; ++i) {
            inside += disk.mass[order[i]];
            if (inside >= least) break;
        }
        const bool between = inside <= mass[r] / 2 + rounding && i + 1 < range.end;
        half[r] = between ? (height(i) + height(i + 1)) / 2 : height(i);
    });
}

void find_mass_exponent(Exec exec, const ConstParticlesView& particles, std::uint64_t* exponent)
{
    const Index n_threads = threads_for(particles.n);
    for_each(exec, 1, [=] AUREOLE_HD(Index) { *exponent = from_above(0); });
    for_each(exec, n_threads, [=] AUREOLE_HD(Index t) {
        std::uint64_t least = from_above(0);
        for (std::size_t i = t; i < particles.n; i += n_threads) {
            const std::uint64_t one = from_above(particles.mass[i]);
            least = one < least ? one : least;
        }
        atomic_min_of_few(exponent, least);
    });
}

void sum_shells(Exec exec, const ConstParticlesView& particles, Vec3 centre, Index n_radii,
                const double* radii, const std::uint64_t* exponent, Index copies, OrderFreeSum* shells)
{
    for_each(exec, copies * n_radii, [=] AUREOLE_HD(Index k) { shells[k] = OrderFreeSum{}; });
    for_each(exec, particles.n, [=] AUREOLE_HD(Index i) {
        const double r = length(particles.position.load(i) - centre);
        Index low = 0, high = n_radii;
        while (low < high) {
            const Index middle = low + (high - low) / 2;
            if (radii[middle] < r)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == n_radii) return;
        OrderFreeSum one{};
        one.add(particles.mass[i], exponent_of(*exponent));
        add_shared(shells + (i / of_one_thread % copies) * n_radii + low, one);
    });
    for_each(exec, n_radii, [=] AUREOLE_HD(Index k) {
        OrderFreeSum sum = shells[k];
        for (Index copy = 1; copy < copies; ++copy) {
            sum.settle();
            sum.add(shells[copy * n_radii + k]);
        }
        shells[k] = sum;
    });
}

void find_momentum_scales(Exec exec, const ConstParticlesView& particles, const DiskFrame& frame,
                          MomentumScales* scales)
{
    const Index n_threads = threads_for(particles.n);
    for_each(exec, n_kind_words, [=] AUREOLE_HD(Index k) {
        scales->kinds[k] = 0;
        if (k < n_momentum_terms) scales->exponent[k] = from_above(0);
    });
    for_each(exec, n_threads, [=] AUREOLE_HD(Index t) {
        std::uint64_t least[n_momentum_terms] = {from_above(0), from_above(0), from_above(0), from_above(0)};
        std::uint64_t kinds = 0;
        Index word = 0;
        const auto note = [&] {
            if ((kinds & ~*static_cast<volatile std::uint64_t*>(&scales->kinds[word])) != 0)
                atomic_or(&scales->kinds[word], kinds);
        };
        for (std::size_t i = t; i < particles.n; i += n_threads) {
            const auto at = static_cast<Index>(i);
            const MomentumTerms one = momentum_terms(particles, frame.centre, frame.velocity, at);
            for (int k = 0; k < n_momentum_terms; ++k) {
                const std::uint64_t scale = from_above(one.term[k]);
                least[k] = scale < least[k] ? scale : least[k];
            }
            const Index kind = Index{8} * particles.component_of(at) + particles.type_of(at);
            if (kind / 64 != word) {
                note();
                kinds = 0;
                word = kind / 64;
            }
            kinds |= std::uint64_t{1} << kind % 64;
        }
        note();
        for (int k = 0; k < n_momentum_terms; ++k) atomic_min_of_few(&scales->exponent[k], least[k]);
    });
}

void sum_kinds(Exec exec, const ConstParticlesView& particles, const DiskFrame& frame,
               const MomentumScales* scales, Index n_kinds, const Index* kinds, Index copies,
               MomentumSums* sums)
{
    const Index n_threads = threads_for(particles.n);
    for_each(exec, copies * n_kinds, [=] AUREOLE_HD(Index k) { sums[k] = MomentumSums{}; });
    for_each(exec, n_threads * n_kinds, [=] AUREOLE_HD(Index k) {
        const Index t = k % n_threads, which = k / n_threads;
        MomentumSums own{};
        for (std::size_t i = t; i < particles.n; i += n_threads) {
            const auto at = static_cast<Index>(i);
            if (Index{8} * particles.component_of(at) + particles.type_of(at) != kinds[which]) continue;
            const MomentumTerms one = momentum_terms(particles, frame.centre, frame.velocity, at);
            for (int j = 0; j < n_momentum_terms; ++j)
                own.term[j].add(one.term[j], exponent_of(scales->exponent[j]));
            ++own.count;
        }
        if (own.count == 0) return;
        MomentumSums& to = sums[t % copies * n_kinds + which];
        atomic_add(&to.count, own.count);
        for (int j = 0; j < n_momentum_terms; ++j) add_shared(&to.term[j], own.term[j]);
    });
}

void gather(Exec exec, Index n, const Index* order, const Gathered& arrays)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) {
        const Index from = order[i];
        for (int k = 0; k < 3; ++k)
            if (arrays.to[k]) arrays.to[k][i] = arrays.from[k][from];
    });
}

}  // namespace aureole::run
