#include "density/ranks/lattice_survey.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "density/deposit/density_grid.hpp"
#include "sim/core/error.hpp"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole::density {
namespace {

using comm::Parts;
using comm::Reduction;
using Numbers = std::vector<std::uint64_t>;

constexpr std::uint64_t nothing = ~std::uint64_t{0};

/// One reduction of the numbers that `of` gives for each share.
template <class Of>
Numbers reduced(Parts& parts, std::span<const ConstParticlesView> shares, Reduction how, Of&& of)
{
    std::vector<Numbers> numbers;
    for (const ConstParticlesView& share : shares) numbers.push_back(of(share));
    return parts.all_reduce(numbers, how);
}

void expect_one_kind_over_parts(Parts& parts, std::span<const ConstParticlesView> shares)
{
    const auto lowest = reduced(parts, shares, Reduction::min, [](const ConstParticlesView& p) {
        return p.n == 0 ? Numbers{nothing, nothing}
                        : Numbers{static_cast<std::uint64_t>(p.type_of(0)), ordered_bits(p.mass[0])};
    });
    const auto highest = reduced(parts, shares, Reduction::max, [](const ConstParticlesView& p) {
        return p.n == 0 ? Numbers{0, 0}
                        : Numbers{static_cast<std::uint64_t>(p.type_of(0)), ordered_bits(p.mass[0])};
    });
    if (lowest[0] == nothing) return;
    parts.common_check([&] {
        if (lowest[0] != highest[0])
            throw Error(fmt::format(
                "density: particles are of several types, {} and {}; a lattice has one, --types chooses it",
                lowest[0], highest[0]));
        if (lowest[1] != highest[1])
            throw Error(fmt::format(
                "density: masses are {} and {}, expected equal ones: all tetrahedra have one mass",
                from_ordered_bits(lowest[1]), from_ordered_bits(highest[1])));
    });
}

double mass_of_all(Parts& parts, std::span<const ConstParticlesView> shares)
{
    return from_ordered_bits(reduced(parts, shares, Reduction::min, [](const ConstParticlesView& p) {
        return Numbers{p.n == 0 ? nothing : ordered_bits(p.mass[0])};
    })[0]);
}

std::uint64_t first_id_of_all(Parts& parts, std::span<const ConstParticlesView> shares)
{
    return reduced(parts, shares, Reduction::min, [](const ConstParticlesView& p) {
        const std::uint64_t* const end = p.id + p.n;
        return Numbers{p.n > 0 && std::find(p.id, end, std::uint64_t{0}) != end ? std::uint64_t{0}
                                                                                : std::uint64_t{1}};
    })[0];
}

/// Sends each id to the part that counts those near it, and refuses ids of which one is missing or there
/// twice.
class IdCheck {
public:
    IdCheck(Parts& parts, std::uint64_t first, std::uint64_t n)
        : parts_(parts), first_(first), n_(n), each_((n - 1) / static_cast<std::uint64_t>(parts.size()) + 1)
    {
    }

    void operator()(std::span<const ConstParticlesView> shares)
    {
        Parts::Boxes out = parts_.boxes();
        std::vector<Numbers> sums, leasts;
        parts_.agreed_phase([&](int, int k) {
            const auto own = static_cast<std::size_t>(k);
            sums.push_back({0, 0, 0});
            leasts.push_back({nothing, nothing, nothing});
            pack(shares[own], out[own], sums.back()[0], leasts.back()[0]);
        });
        const Parts::Boxes in = parts_.exchange(std::move(out));
        parts_.agreed_phase([&](int part, int k) {
            const auto own = static_cast<std::size_t>(k);
            count(static_cast<std::uint64_t>(part), in[own], sums[own], leasts[own]);
        });
        const Numbers sum = parts_.all_reduce(sums, Reduction::sum);
        const Numbers least = parts_.all_reduce(leasts, Reduction::min);
        if (sum[0] + sum[1] + sum[2] > 0) parts_.common_check([&] { refuse(sum, least); });
    }

private:
    void pack(const ConstParticlesView& p, std::vector<Parts::Box>& boxes, std::uint64_t& outside,
              std::uint64_t& first_outside) const
    {
        std::vector<std::size_t> bytes(boxes.size());
        const auto place = [&](Index i) { return p.id[i] - first_; };
        const auto is_outside = [&](Index i) { return p.id[i] < first_ || place(i) >= n_; };
        for (Index i = 0; i < p.n; ++i) {
            if (!is_outside(i)) {
                bytes[static_cast<std::size_t>(place(i) / each_)] += sizeof(std::uint32_t);
                continue;
            }
            ++outside;
            first_outside = std::min(first_outside, p.id[i]);
        }
        for (std::size_t to = 0; to < boxes.size(); ++to) boxes[to].resize(bytes[to]);
        std::ranges::fill(bytes, 0);
        for (Index i = 0; i < p.n; ++i) {
            if (is_outside(i)) continue;
            const auto to = static_cast<std::size_t>(place(i) / each_);
            const auto at = static_cast<std::uint32_t>(place(i) % each_);
            std::memcpy(boxes[to].data() + bytes[to], &at, sizeof at);
            bytes[to] += sizeof at;
        }
    }

    void count(std::uint64_t part, const std::vector<Parts::Box>& boxes, Numbers& sum, Numbers& least) const
    {
        const std::uint64_t begin = std::min(n_, part * each_), size = std::min(n_, begin + each_) - begin;
        std::vector<bool> there(static_cast<std::size_t>(size));
        for (const Parts::Box& box : boxes)
            for (std::size_t at = 0; at < box.size(); at += sizeof(std::uint32_t)) {
                std::uint32_t place;
                std::memcpy(&place, box.data() + at, sizeof place);
                if (there[place]) {
                    ++sum[1];
                    least[1] = std::min(least[1], first_ + begin + place);
                }
                there[place] = true;
            }
        for (std::size_t place = 0; place < there.size(); ++place)
            if (!there[place]) {
                ++sum[2];
                least[2] = std::min(least[2], first_ + begin + place);
            }
    }

    [[noreturn]] void refuse(const Numbers& sum, const Numbers& least) const
    {
        std::string also;
        if (sum[1] > 0) also += fmt::format("; {} ids repeat others, the first is {}", sum[1], least[1]);
        if (sum[0] > 0) also += fmt::format("; {} are outside, the first is {}", sum[0], least[0]);
        throw Error(fmt::format(
            "density: ids are no complete lattice: of {} to {}, {} are missing, the first is {}{}", first_,
            first_ + n_ - 1, sum[2], least[2], also));
    }

    Parts& parts_;
    std::uint64_t first_, n_, each_;  ///< ids that a part counts
};

struct SitePosition {
    std::uint64_t site;
    Vec3 position;
};

/// The order of axes, found by part 0 from sampled lines of sites, which all parts send there.
std::string axes_of_all(Parts& parts, std::span<const ConstParticlesView> shares, Box box, Index side,
                        std::uint64_t first)
{
    const LineSample lines[3] = {{side, side * side}, {side, side}, {side, 1}};
    Parts::Boxes out = parts.boxes();
    parts.agreed_phase([&](int, int k) {
        const ConstParticlesView& p = shares[static_cast<std::size_t>(k)];
        Parts::Box& to = out[static_cast<std::size_t>(k)][0];
        for (Index i = 0; i < p.n; ++i) {
            const SitePosition one{p.id[i] - first, p.position.load(i)};
            if (std::ranges::none_of(lines, [&](const LineSample& l) { return l.has(one.site); })) continue;
            const auto bytes = comm::bytes_of(one);
            to.insert(to.end(), bytes.begin(), bytes.end());
        }
    });
    const Parts::Boxes in = parts.exchange(std::move(out));
    std::vector<Parts::Box> found(static_cast<std::size_t>(parts.held()));
    parts.agreed_phase([&](int part, int k) {
        if (part != 0) return;
        std::vector<SitePosition> sites;
        for (const Parts::Box& box_of_part : in[0]) {
            const std::size_t before = sites.size();
            sites.resize(before + box_of_part.size() / sizeof(SitePosition));
            if (!box_of_part.empty()) std::memcpy(&sites[before], box_of_part.data(), box_of_part.size());
        }
        std::ranges::sort(sites, {}, &SitePosition::site);
        const std::string axes = detected_axes(box, side, [&](std::size_t site) {
            return std::ranges::lower_bound(sites, site, {}, &SitePosition::site)->position;
        });
        const auto bytes = std::as_bytes(std::span(axes));
        found[static_cast<std::size_t>(k)].assign(bytes.begin(), bytes.end());
    });
    const Parts::Box axes = parts.all_gather(found)[0];
    return {reinterpret_cast<const char*>(axes.data()), axes.size()};
}

}  // namespace

Lattice lattice_over_parts(Parts& parts, std::span<const ConstParticlesView> shares, Box box,
                           const LatticeChoice& choice, std::uint64_t& particles)
{
    AUREOLE_EXPECT(shares.size() == static_cast<std::size_t>(parts.held()),
                   "shares of {} parts where {} are held", shares.size(), parts.held());
    parts.agreed_phase([&](int, int k) { expect_of_one_sheet(shares[static_cast<std::size_t>(k)], box); });
    particles =
        reduced(parts, shares, Reduction::sum, [](const ConstParticlesView& p) { return Numbers{p.n}; })[0];
    expect_one_kind_over_parts(parts, shares);
    Index side = 0;
    parts.common_check([&] {
        side = side_of_cube(particles);
        expect_every(choice.every, side);
        if (choice.axes) expect_axes(*choice.axes);
    });
    Lattice lattice;
    lattice.first_id = choice.first_id ? *choice.first_id : first_id_of_all(parts, shares);
    IdCheck(parts, lattice.first_id, particles)(shares);
    lattice.axes = choice.axes ? *choice.axes : axes_of_all(parts, shares, box, side, lattice.first_id);
    lattice.side = side / choice.every;
    lattice.particle_mass = mass_of_all(parts, shares);
    lattice.tetrahedron_mass = tetrahedron_mass_of(lattice.particle_mass, choice.every);
    return lattice;
}

double largest_over_parts(Parts& parts, const std::vector<double>& of_part)
{
    std::vector<Numbers> bits;
    for (const double number : of_part) bits.push_back({ordered_bits(number)});
    return from_ordered_bits(parts.all_reduce(bits, Reduction::max)[0]);
}

double speed_unit_over_parts(Parts& parts, std::span<const ConstParticlesView> shares)
{
    std::vector<double> fastest;
    parts.agreed_phase(
        [&](int, int k) { fastest.push_back(fastest_of(shares[static_cast<std::size_t>(k)])); });
    return speed_unit_of(largest_over_parts(parts, fastest));
}

}  // namespace aureole::density
