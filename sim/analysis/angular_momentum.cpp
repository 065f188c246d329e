#include "sim/analysis/angular_momentum.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <span>

#include "gravity/acceleration_passes.hpp"
#include "gravity/external/external_field.hpp"
#include "gravity/solver.hpp"
#include "sim/analysis/disk_loops.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/spatial/key_order.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::run {
namespace {

using Key = std::pair<Component, ParticleType>;
using Exponents = std::array<std::int32_t, n_momentum_terms>;

MomentumTerms terms_of(const ConstParticlesView& host, const DiskFrame& frame, Index i)
{
    return momentum_terms(host, frame.centre, frame.velocity, i);
}

struct Totals {
    std::int64_t count = 0;
    std::uint32_t unsettled = 0;
    std::array<OrderFreeSum, n_momentum_terms> sums{};

    void add(const MomentumTerms& terms, const Exponents& exponents)
    {
        for (std::size_t k = 0; k < n_momentum_terms; ++k) sums[k].add(terms.term[k], exponents[k]);
        ++count;
        if (++unsettled == OrderFreeSum::unsettled_terms) settle();
    }
    void add(const Totals& other)
    {
        for (std::size_t k = 0; k < n_momentum_terms; ++k) {
            sums[k].add(other.sums[k]);
            sums[k].settle();
        }
        count += other.count;
    }
    void settle()
    {
        for (OrderFreeSum& sum : sums) sum.settle();
        unsettled = 0;
    }
};

Exponents greatest_exponents(const ConstParticlesView& host, const DiskFrame& frame)
{
    Exponents none;
    none.fill(sum_exponent(0));
    auto greatest = none;
#pragma omp parallel if (host.n > parallel_threshold)
    {
        auto own = none;
#pragma omp for nowait
        for (Index i = 0; i < host.n; ++i) {
            const MomentumTerms terms = terms_of(host, frame, i);
            for (std::size_t k = 0; k < n_momentum_terms; ++k)
                own[k] = std::max(own[k], sum_exponent(terms.term[k]));
        }
#pragma omp critical
        for (std::size_t k = 0; k < n_momentum_terms; ++k) greatest[k] = std::max(greatest[k], own[k]);
    }
    return greatest;
}

using AllTotals = std::map<Key, Totals>;

AllTotals totals_of_host(const ConstParticlesView& host, const DiskFrame& frame, const Exponents& exponents)
{
    AllTotals all;
#pragma omp parallel if (host.n > parallel_threshold)
    {
        AllTotals own;
#pragma omp for nowait
        for (Index i = 0; i < host.n; ++i)
            own[{host.component_of(i), host.type_of(i)}].add(terms_of(host, frame, i), exponents);
#pragma omp critical
        for (auto& [key, totals] : own) {
            totals.settle();
            all[key].add(totals);
        }
    }
    return all;
}

constexpr Index least_copies = 64;

/// The components and types that there are: 8 component + type.
std::vector<Index> kinds_of(const MomentumScales& scales)
{
    std::vector<Index> kinds;
    for (Index k = 0; k < 64 * n_kind_words; ++k)
        if (scales.kinds[k / 64] >> k % 64 & 1) kinds.push_back(k);
    return kinds;
}

AllTotals totals_of_device(Exec exec, const ConstParticlesView& particles, const DiskFrame& frame,
                           Exponents& exponents)
{
    const Index copies = std::max(least_copies, particles.n / (OrderFreeSum::unsettled_terms / 2) + 1);
    Buffer<MomentumScales> there(exec.backend, 1);
    find_momentum_scales(exec, particles, frame, there.data());
    const std::vector<MomentumScales> scales = there.to_vector();
    for (std::size_t k = 0; k < n_momentum_terms; ++k) exponents[k] = exponent_of(scales[0].exponent[k]);
    AllTotals all;
    constexpr std::size_t at_once = 32;  // of the kinds
    const std::vector<Index> kinds = kinds_of(scales[0]);
    for (std::size_t first = 0; first < kinds.size(); first += at_once) {
        const std::span<const Index> some =
            std::span(kinds).subspan(first, std::min(at_once, kinds.size() - first));
        const Buffer<Index> which(exec.backend, some);
        Buffer<MomentumSums> sums(exec.backend, copies * some.size());
        sum_kinds(exec, particles, frame, there.data(), static_cast<Index>(some.size()), which.data(), copies,
                  sums.data());
        const std::vector<MomentumSums> found = sums.to_vector();
        for (std::size_t k = 0; k < found.size(); ++k) {
            const Index kind = some[k % some.size()];
            Totals one{.count = found[k].count};
            std::copy_n(found[k].term, n_momentum_terms, one.sums.begin());
            one.settle();
            all[{static_cast<Component>(kind / 8), static_cast<ParticleType>(kind % 8)}].add(one);
        }
    }
    return all;
}

/// The particles of one component, as a list in their memory.
class MemberList {
public:
    MemberList(Exec exec, Index n)
        : exec_(exec),
          counted_(exec.backend, n),
          number_(exec.backend, n),
          n_found_(exec.backend, 1),
          scratch_(exec.backend, select_flagged_scratch_bytes(exec.backend, n))
    {
    }

    gravity::Selection of(const ConstParticlesView& particles, Component component)
    {
        constexpr std::uint8_t all_types = 0xff;
        const Buffer<Component> one(exec_.backend, std::span(&component, 1));
        find_members(exec_, particles, all_types, one.data(), 1, counted_.data());
        select_flagged(exec_, particles.n, counted_.data(), number_.data(), n_found_.data(), scratch_.data());
        return gravity::Selection::listed(number_.data(), n_found_.to_vector()[0]);
    }

    static std::size_t bytes(Backend where, std::size_t n)
    {
        return n * (sizeof(std::uint8_t) + sizeof(Index)) + select_flagged_scratch_bytes(where, n) +
               sizeof(Index);
    }

private:
    Exec exec_;
    Buffer<std::uint8_t> counted_;
    Buffer<Index> number_, n_found_;
    Buffer<std::byte> scratch_;
};

/// The sums of m (x - centre) x a, which are angular momenta with accelerations in the place of velocities.
void add_torques(Exec exec, ConstParticlesView particles, DiskFrame frame, const Vec3View& acceleration,
                 std::optional<Component> from, std::vector<ComponentTorque>& to)
{
    particles.velocity = acceleration;
    frame.velocity = {};
    for (const ComponentMomentum& row : angular_momenta(exec, particles, frame))
        to.push_back({from, row.component, row.type, row.angular_momentum});
}

}  // namespace

std::vector<ComponentMomentum> angular_momenta(Exec exec, const ConstParticlesView& particles,
                                               const DiskFrame& frame)
{
    Exponents exponents{};
    AllTotals all;
    if (exec.backend == Backend::cpu) {
        exponents = greatest_exponents(particles, frame);
        all = totals_of_host(particles, frame, exponents);
    } else {
        all = totals_of_device(exec, particles, frame, exponents);
    }
    std::vector<ComponentMomentum> result;
    for (const auto& [key, totals] : all) {
        const auto value = [&](std::size_t k) {
            constexpr double nan = std::numeric_limits<double>::quiet_NaN();
            return exponents[k] <= OrderFreeSum::greatest_exponent ? totals.sums[k].value(exponents[k]) : nan;
        };
        result.push_back({key.first, key.second, totals.count, value(0), {value(1), value(2), value(3)}});
    }
    return result;
}

Table angular_momentum_table(const std::vector<ComponentMomentum>& momenta, const DiskFrame& frame)
{
    std::vector<std::int64_t> component, type, count;
    std::vector<double> mass, momentum, along;
    for (const ComponentMomentum& row : momenta) {
        component.push_back(row.component);
        type.push_back(row.type);
        count.push_back(row.count);
        mass.push_back(row.mass);
        const Vec3 l = row.angular_momentum;
        momentum.insert(momentum.end(), {l.x, l.y, l.z});
        along.push_back(dot(l, frame.axis));
    }
    const Dimension number{}, per_velocity{1, 1, 1};
    Table table{momenta.size(), {}};
    table.columns = {
        {"Component", "Entry of initial_conditions, from 0.", number, 1, std::move(component)},
        {"Type", "Particle type.", number, 1, std::move(type)},
        {"Count", "Particles.", number, 1, std::move(count)},
        {"Mass", "Sum of masses.", {.mass = 1}, 1, std::move(mass)},
        {"AngularMomentum", "Sum of m (x - centre) x (v - velocity), in the axes of the file.", per_velocity,
         3, std::move(momentum)},
        {"AlongAxis", "Its part along the axis of the disk.", per_velocity, 1, std::move(along)}};
    return table;
}

std::vector<ComponentTorque> component_torques(Exec exec, const ConstParticlesView& particles,
                                               const DiskFrame& frame, gravity::Solver& solver,
                                               ExternalFields fields, double time)
{
    std::vector<ComponentTorque> torques;
    if (particles.n == 0) return torques;
    std::vector<Component> components;
    for (const ComponentMomentum& row : angular_momenta(exec, particles, frame))
        if (components.empty() || components.back() != row.component) components.push_back(row.component);

    Buffer<double> x(exec.backend, particles.n), y(exec.backend, particles.n), z(exec.backend, particles.n);
    const Vec3View acceleration{x.data(), y.data(), z.data()};
    MemberList members(exec, particles.n);
    const gravity::TargetRequest targets{{}, particles.acceleration};
    for (const Component component : components) {
        solver.prepare(exec, particles, {time, members.of(particles, component), {}}, targets);
        solver.evaluate(exec, particles, targets, {acceleration, nullptr});
        add_torques(exec, particles, frame, acceleration, component, torques);
    }
    if (fields.empty()) return torques;
    const gravity::Selection all = gravity::Selection{}.clipped(particles.n);
    gravity::set_to_zero(exec, all, {acceleration, nullptr});
    for (const auto& field : fields) field->add_acceleration(exec, particles, all, time, acceleration);
    add_torques(exec, particles, frame, acceleration, {}, torques);
    return torques;
}

std::size_t torque_bytes(Backend where, std::size_t n)
{
    // of a tree, whose targets are not its sources; arrays begin at multiples of 256 bytes
    const std::size_t order_of_targets = KeyOrder::bytes(where, n) + std::size_t{5} * 256;
    const std::size_t sums =
        where == Backend::cpu ? 0 : sizeof(MomentumScales) + least_copies * sizeof(MomentumSums);
    return 3 * n * sizeof(double) + MemberList::bytes(where, n) + order_of_targets + sums;
}

Table torque_table(const std::vector<ComponentTorque>& torques, const DiskFrame& frame,
                   double gravitational_constant)
{
    std::vector<std::int64_t> from, component, type;
    std::vector<double> vector, along;
    for (const ComponentTorque& row : torques) {
        from.push_back(row.from ? *row.from : -1);
        component.push_back(row.component);
        type.push_back(row.type);
        const Vec3 torque = gravitational_constant * row.torque;
        vector.insert(vector.end(), {torque.x, torque.y, torque.z});
        along.push_back(dot(torque, frame.axis));
    }
    const Dimension number{}, torque{0, 1, 2};
    Table table{torques.size(), {}};
    table.columns = {
        {"From", "Component that acts; -1: external fields.", number, 1, std::move(from)},
        {"Component", "Entry of initial_conditions, from 0, on which it acts.", number, 1,
         std::move(component)},
        {"Type", "Particle type.", number, 1, std::move(type)},
        {"Torque", "Sum of m (x - centre) x a, in the axes of the file.", torque, 3, std::move(vector)},
        {"AlongAxis", "Its part along the axis of the disk.", torque, 1, std::move(along)}};
    return table;
}

}  // namespace aureole::run
