#include "sim/analysis/disk_moments.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "sim/core/spatial/key_order.hpp"

namespace aureole::run {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Ranges of a disk in the memory of a backend, with room for their sums.
class Ranges {
public:
    Ranges(Exec exec, std::vector<DiskRange> ranges, int width) : exec_(exec), ranges_(std::move(ranges))
    {
        Index n_pieces = 0, n_groups = 0;
        for (DiskRange& range : ranges_) {
            range.pieces = n_pieces;
            range.groups = n_groups;
            const Index n = (range.end - range.begin + range_piece - 1) / range_piece;
            n_pieces += n;
            n_groups += (n + range_group - 1) / range_group;
        }
        there_ = Buffer<DiskRange>(exec.backend, std::span<const DiskRange>(ranges_));
        pieces_ = Buffer<double>(exec.backend, std::size_t{n_pieces} * static_cast<std::size_t>(width));
        groups_ = Buffer<double>(exec.backend, std::size_t{n_groups} * static_cast<std::size_t>(width));
        n_groups_ = n_groups;
        room_ = {static_cast<Index>(ranges_.size()),
                 n_pieces,
                 n_groups,
                 there_.data(),
                 pieces_.data(),
                 groups_.data()};
    }

    const RangeSums& room() const { return room_; }

    /// `width` numbers for each range, of which there are none without particles.
    std::vector<double> totals(std::size_t width) const
    {
        const std::vector<double> groups = groups_.to_vector();
        std::vector<double> totals(ranges_.size() * width, 0.0);
        for (std::size_t r = 0; r < ranges_.size(); ++r) {
            const std::size_t last = r + 1 < ranges_.size() ? ranges_[r + 1].groups : n_groups_;
            for (std::size_t g = ranges_[r].groups; g < last; ++g)
                for (std::size_t w = 0; w < width; ++w) totals[r * width + w] += groups[g * width + w];
        }
        return totals;
    }

private:
    Exec exec_;
    std::vector<DiskRange> ranges_;
    Buffer<DiskRange> there_;
    Buffer<double> pieces_, groups_;
    std::size_t n_groups_ = 0;
    RangeSums room_{};
};

std::vector<DiskRange> ranges_of(const std::vector<DiskRing>& rings)
{
    std::vector<DiskRange> ranges;
    for (const DiskRing& ring : rings)
        ranges.push_back({static_cast<Index>(ring.begin), static_cast<Index>(ring.end), 0, 0});
    return ranges;
}

RingHarmonics harmonics_of(const double* sums)
{
    using P = MomentPlaces;
    RingHarmonics result;
    const double mass = result.mass = sums[P::mass];
    result.noise = mass > 0 ? std::sqrt(std::numbers::pi / 4 * sums[P::square]) / mass : no_number;
    for (std::size_t h = 0; h < n_harmonics; ++h) {
        const double c = sums[P::harmonics + 2 * h], s = sums[P::harmonics + 2 * h + 1];
        result.amplitude[h] = mass > 0 ? std::hypot(c, s) / mass : no_number;
        result.phase[h] = result.amplitude[h] > 0 ? std::atan2(s, c) / static_cast<double>(h + 1) : no_number;
    }
    return result;
}

/// All but the squares.
RingMoments moments_of(const double* sums)
{
    using P = MomentPlaces;
    RingMoments moments;
    moments.harmonics = harmonics_of(sums);
    const double mass = moments.mass = sums[P::mass];
    const auto mean = [&](int place) { return mass > 0 ? sums[place] / mass : no_number; };
    moments.mean = {mean(P::velocity), mean(P::velocity + 1), mean(P::velocity + 2)};
    moments.height = mean(P::height);
    moments.xx = sums[P::plane];
    moments.xy = sums[P::plane + 1];
    moments.yy = sums[P::plane + 2];
    std::copy_n(sums + P::bending, 2, moments.bending);
    return moments;
}

Buffer<RangeMeans> means_of(Exec exec, const std::vector<RingMoments>& moments)
{
    std::vector<RangeMeans> means;
    for (const RingMoments& ring : moments) means.push_back({ring.mean, ring.height});
    return Buffer<RangeMeans>(exec.backend, std::span<const RangeMeans>(means));
}

}  // namespace

std::vector<RingMoments> ring_moments(Exec exec, const DiskView& disk, const std::vector<DiskRing>& rings)
{
    constexpr std::size_t n_squares = 5;
    if (rings.empty()) return {};
    const Ranges ranges(exec, ranges_of(rings), MomentPlaces::width);  // with room for the squares too
    sum_moments(exec, disk, ranges.room());
    const std::vector<double> sums = ranges.totals(MomentPlaces::width);
    std::vector<RingMoments> result;
    for (std::size_t k = 0; k < rings.size(); ++k)
        result.push_back(moments_of(sums.data() + k * MomentPlaces::width));
    const Buffer<RangeMeans> means = means_of(exec, result);
    sum_squares(exec, disk, ranges.room(), means.data());
    const std::vector<double> squares = ranges.totals(n_squares);
    for (std::size_t k = 0; k < rings.size(); ++k) {
        RingMoments& ring = result[k];
        const auto mean = [&](std::size_t place) {
            return ring.mass > 0 ? squares[k * n_squares + place] / ring.mass : no_number;
        };
        ring.variance = {mean(0), mean(1), mean(2)};
        ring.covariance = mean(3);
        ring.height_variance = mean(4);
    }
    return result;
}

std::vector<RingMoments> ring_moments(const DiskParticles& disk, const std::vector<DiskRing>& rings)
{
    return ring_moments({}, view_of(disk), rings);
}

std::vector<double> half_mass_heights(Exec exec, const DiskView& disk, const std::vector<DiskRing>& rings,
                                      const std::vector<RingMoments>& moments)
{
    if (rings.empty()) return {};
    std::vector<double> mass;
    for (const RingMoments& ring : moments) mass.push_back(ring.mass);
    const Buffer<RangeMeans> means = means_of(exec, moments);
    const Buffer<double> masses(exec.backend, std::span<const double>(mass));
    const Ranges ranges(exec, ranges_of(rings), 1);
    KeyOrder order(exec, disk.n);
    find_heights(exec, disk, ranges.room(), means.data(), order.keys(), order.order());
    order.sort(64);
    find_ranges(exec, disk.n, ranges.room(), order.order(), order.keys());
    order.sort(static_cast<int>(std::bit_width(rings.size())));
    Buffer<double> half(exec.backend, rings.size());
    find_half_heights(exec, disk, ranges.room(), means.data(), order.order(), masses.data(), half.data());
    std::vector<double> heights = half.to_vector();
    for (std::size_t k = 0; k < rings.size(); ++k)
        if (!(mass[k] > 0)) heights[k] = no_number;
    return heights;
}

std::vector<double> sum_range(Exec exec, std::size_t begin, std::size_t end, int width,
                              const std::function<void(const RangeSums&)>& sum)
{
    const Ranges range(exec, {{static_cast<Index>(begin), static_cast<Index>(end), 0, 0}}, width);
    sum(range.room());
    return range.totals(static_cast<std::size_t>(width));
}

std::size_t disk_moment_bytes(Backend where, std::size_t n, std::size_t n_rings)
{
    const std::size_t pieces = n / range_piece + n_rings, groups = pieces / range_group + n_rings;
    const std::size_t rings = n_rings * (sizeof(DiskRange) + sizeof(RangeMeans) + 2 * sizeof(double));
    const std::size_t sums = MomentPlaces::width * (pieces + groups) * sizeof(double);
    return rings + std::max(sums, KeyOrder::bytes(where, n) + (pieces + groups) * sizeof(double));
}

}  // namespace aureole::run
