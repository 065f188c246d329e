#include "sim/analysis/angular_momentum.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "sim/core/sums/order_free_sum.hpp"

namespace aureole::run {
namespace {

using Key = std::pair<Component, ParticleType>;
constexpr std::size_t n_terms = 4;

/// Mass and angular momentum of one particle.
std::array<double, n_terms> terms_of(const ConstParticlesView& host, const DiskFrame& frame, Index i)
{
    const Vec3 x = host.position.load(i) - frame.centre;
    const Vec3 v = (host.velocity.absent() ? Vec3{} : host.velocity.load(i)) - frame.velocity;
    const Vec3 l = host.mass[i] * cross(x, v);
    return {host.mass[i], l.x, l.y, l.z};
}

struct Totals {
    std::int64_t count = 0;
    std::uint32_t unsettled = 0;
    std::array<OrderFreeSum, n_terms> sums{};

    void add(const std::array<double, n_terms>& terms, const std::array<std::int32_t, n_terms>& exponents)
    {
        for (std::size_t k = 0; k < n_terms; ++k) sums[k].add(terms[k], exponents[k]);
        ++count;
        if (++unsettled == OrderFreeSum::unsettled_terms) settle();
    }
    void add(const Totals& other)
    {
        for (std::size_t k = 0; k < n_terms; ++k) {
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

std::array<std::int32_t, n_terms> greatest_exponents(const ConstParticlesView& host, const DiskFrame& frame)
{
    std::array<std::int32_t, n_terms> none;
    none.fill(sum_exponent(0));
    auto greatest = none;
#pragma omp parallel if (host.n > parallel_threshold)
    {
        auto own = none;
#pragma omp for nowait
        for (Index i = 0; i < host.n; ++i) {
            const auto terms = terms_of(host, frame, i);
            for (std::size_t k = 0; k < n_terms; ++k) own[k] = std::max(own[k], sum_exponent(terms[k]));
        }
#pragma omp critical
        for (std::size_t k = 0; k < n_terms; ++k) greatest[k] = std::max(greatest[k], own[k]);
    }
    return greatest;
}

}  // namespace

std::vector<ComponentMomentum> angular_momenta(const ConstParticlesView& host, const DiskFrame& frame)
{
    const auto exponents = greatest_exponents(host, frame);
    std::map<Key, Totals> all;
#pragma omp parallel if (host.n > parallel_threshold)
    {
        std::map<Key, Totals> own;
#pragma omp for nowait
        for (Index i = 0; i < host.n; ++i)
            own[{host.component_of(i), host.type_of(i)}].add(terms_of(host, frame, i), exponents);
#pragma omp critical
        for (auto& [key, totals] : own) {
            totals.settle();
            all[key].add(totals);
        }
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

}  // namespace aureole::run
