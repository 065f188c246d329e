// Members are gathered into arrays of their own, relative to a near origin, so that neither the place in the
// box nor a common velocity, however large, costs digits; then every sum is one pass over flat arrays.
#include "halo/properties/properties.hpp"

#include <algorithm>
#include <cmath>

#include "halo/properties/device_properties.hpp"
#include "halo/properties/member_sums.hpp"
#include "halo/properties/rotation_curve.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

/// One thread's memory, reused from list to list.
struct Scratch {
    std::vector<double> weight;  ///< masses, or 1 each when no member has mass
    std::vector<Vec3> position;  ///< relative to the origin, later to the centre
    std::vector<Vec3> velocity;  ///< relative to the first member's, later to the mean
    std::vector<RadialMass> radial;
    RadialBins bins;
};

class PropertyComputation {
public:
    PropertyComputation(const PropertyInputView& input, std::size_t list, Scratch& scratch)
        : input_(input),
          index_(members_of_list(input.members, list)),
          potential_(input.potential ? input.potential + input.members.begin[list] : nullptr),
          scratch_(scratch)
    {
        given_ = !input.centre.empty();
        if (given_) result_.centre = input.box.wrap(input.centre[list]);
    }

    HaloProperties result()
    {
        result_.n_members = static_cast<std::int64_t>(index_.size());
        if (index_.empty()) return result_;
        gather();
        set_masses();
        set_centres();
        set_motion();
        set_shapes();
        set_radii();
        set_energies();
        return result_;
    }

private:
    static std::span<const Index> members_of_list(const MembersView& members, std::size_t list)
    {
        return {members.particle + members.begin[list], members.begin[list + 1] - members.begin[list]};
    }

    std::size_t n() const { return index_.size(); }

    /// body(k) for every member.
    template <class Body>
    void for_members(Body body)
    {
#pragma omp parallel for if (n() > long_list)
        for (std::size_t k = 0; k < n(); ++k) body(k);
    }

    void gather()
    {
        const ConstParticlesView& p = input_.particles;
        origin_ = given_ ? result_.centre : input_.box.wrap(p.position.load(index_[0]));
        first_velocity_ = p.velocity.load(index_[0]);
        scratch_.weight.resize(n());
        scratch_.position.resize(n());
        scratch_.velocity.resize(n());
        for_members([&](std::size_t k) {
            const Index i = index_[k];
            scratch_.weight[k] = p.mass[i];
            scratch_.position[k] = input_.box.nearest(input_.box.wrap(p.position.load(i)) - origin_);
            scratch_.velocity[k] = p.velocity.load(i) - first_velocity_;
        });
    }

    void set_masses()
    {
        const ConstParticlesView& p = input_.particles;
        const auto sums = block_sums<2 * n_particle_types + 1>(n(), [&](auto& sum, std::size_t k) {
            const ParticleType type = p.type_of(index_[k]);
            sum[type] += 1;
            sum[n_particle_types + type] += scratch_.weight[k];
            sum[2 * n_particle_types] += scratch_.weight[k];
        });
        for (std::size_t t = 0; t < n_particle_types; ++t) {
            result_.n_members_by_type[t] = static_cast<std::int64_t>(sums[t]);
            result_.mass_by_type[t] = sums[n_particle_types + t];
        }
        result_.mass = sums[2 * n_particle_types];
        massless_ = !(result_.mass > 0);
        total_ = massless_ ? static_cast<double>(n()) : result_.mass;
        if (massless_) std::fill(scratch_.weight.begin(), scratch_.weight.end(), 1.0);
    }

    Vec3 mean(const std::vector<Vec3>& of) const
    {
        const auto sum = block_sums<3>(n(), [&](auto& s, std::size_t k) {
            const Vec3 term = scratch_.weight[k] * of[k];
            s[0] += term.x;
            s[1] += term.y;
            s[2] += term.z;
        });
        return (1 / total_) * Vec3{sum[0], sum[1], sum[2]};
    }

    void set_centres()
    {
        const Vec3 middle = mean(scratch_.position);
        result_.centre_of_mass = input_.box.wrap(origin_ + middle);
        if (given_) {
            result_.offset = -1.0 * middle;
            return;
        }
        result_.centre = result_.centre_of_mass;
        for_members(
            [&](std::size_t k) { scratch_.position[k] = input_.box.nearest(scratch_.position[k] - middle); });
    }

    void set_motion()
    {
        const Vec3 middle = mean(scratch_.velocity);
        result_.velocity = first_velocity_ + middle;
        for_members([&](std::size_t k) { scratch_.velocity[k] = scratch_.velocity[k] - middle; });
        result_.velocity_dispersion = tensor([&](std::size_t k) { return scratch_.velocity[k]; });
        const SymmetricTensor& t = result_.velocity_dispersion;
        result_.dispersion = std::sqrt((t.xx + t.yy + t.zz) / 3);
        const auto sum = block_sums<3>(n(), [&](auto& s, std::size_t k) {
            const Vec3 term = scratch_.weight[k] * cross(scratch_.position[k], scratch_.velocity[k]);
            s[0] += term.x;
            s[1] += term.y;
            s[2] += term.z;
        });
        result_.angular_momentum = (1 / total_) * Vec3{sum[0], sum[1], sum[2]};
    }

    /// Mean of u_i u_j.
    template <class Of>
    SymmetricTensor tensor(Of of) const
    {
        const auto sum = block_sums<6>(n(), [&](auto& s, std::size_t k) {
            const Vec3 u = of(k), wu = scratch_.weight[k] * u;
            s[0] += wu.x * u.x;
            s[1] += wu.y * u.y;
            s[2] += wu.z * u.z;
            s[3] += wu.x * u.y;
            s[4] += wu.x * u.z;
            s[5] += wu.y * u.z;
        });
        const double f = 1 / total_;
        return {f * sum[0], f * sum[1], f * sum[2], f * sum[3], f * sum[4], f * sum[5]};
    }

    void set_shapes()
    {
        result_.shape = shape_of(tensor([&](std::size_t k) { return scratch_.position[k]; }));
        result_.reduced_shape = shape_of(tensor([&](std::size_t k) {
            const Vec3 x = scratch_.position[k];
            const double squared = dot(x, x);
            return squared > 0 ? 1 / std::sqrt(squared) * x : Vec3{};
        }));
    }

    void set_radii()
    {
        scratch_.radial.resize(n());
        for_members([&](std::size_t k) {
            const Vec3 x = scratch_.position[k];
            scratch_.radial[k] = {dot(x, x), scratch_.weight[k]};
        });
        scratch_.bins.fill(scratch_.radial, std::numeric_limits<double>::infinity());
        const RotationCurve curve = rotation_curve(scratch_.bins, total_);
        const double mass_per_radius = massless_ ? 0 : curve.max_mass_per_radius;
        result_.max_velocity = std::sqrt(input_.gravitational_constant * mass_per_radius);
        result_.max_velocity_radius = curve.max_radius;
        result_.half_mass_radius = curve.half_mass_radius;
        result_.extent = curve.extent;
    }

    void set_energies()
    {
        result_.kinetic_energy = 1.5 * result_.mass * result_.dispersion * result_.dispersion;
        if (!potential_) return;
        const auto sum =
            block_sums<1>(n(), [&](auto& s, std::size_t k) { s[0] += scratch_.weight[k] * potential_[k]; });
        result_.potential_energy = massless_ ? 0 : sum[0] / 2;
        if (result_.potential_energy < 0)
            result_.virial_ratio = -2 * result_.kinetic_energy / result_.potential_energy;
    }

    const PropertyInputView& input_;
    std::span<const Index> index_;
    const double* potential_;  ///< of the members, or null
    Scratch& scratch_;
    bool given_ = false, massless_ = false;
    double total_ = 0;  ///< of the weights
    Vec3 origin_, first_velocity_;
    HaloProperties result_;
};

}  // namespace

void host_properties(const PropertyInputView& input, std::span<HaloProperties> rows)
{
    const std::span begin(input.members.begin, std::size_t{input.members.n_lists} + 1);
    for_each_list<Scratch>(begin, [&](Scratch& scratch, std::size_t list) {
        rows[list] = PropertyComputation(input, list, scratch).result();
    });
}

std::vector<HaloProperties> halo_properties(const PropertyInput& input, const Members& members)
{
    AUREOLE_EXPECT(members.begin.back() == members.particle.size(), "lists of {} members, {} given",
                   members.begin.back(), members.particle.size());
    AUREOLE_EXPECT(input.potential.empty() || input.potential.size() == input.particles.size(),
                   "{} potentials for {} particles", input.potential.size(), input.particles.size());
    for (const Index i : members.particle)
        AUREOLE_EXPECT(i < input.particles.size(), "a list has particle {}, of {} particles", i,
                       input.particles.size());
    std::vector<double> potential;  // per entry
    if (!input.potential.empty())
        for (const Index i : members.particle) potential.push_back(input.potential[i]);
    const PropertyInputView view{.particles = input.particles.view(),
                                 .members = {static_cast<Index>(members.size()), members.particle.size(),
                                             members.particle.data(), members.begin.data()},
                                 .box = input.box,
                                 .centre = input.centre,
                                 .potential = input.potential.empty() ? nullptr : potential.data(),
                                 .gravitational_constant = input.gravitational_constant};
    expect_host_input(view);
    std::vector<HaloProperties> rows(members.size());
    host_properties(view, rows);
    return rows;
}

}  // namespace aureole::halo
