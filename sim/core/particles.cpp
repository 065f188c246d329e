#include "sim/core/particles.hpp"

#include <cmath>
#include <numeric>

namespace aureole {

template <class To, class From, class Visit>
void Particles::for_each_array(To& to, From& from, Visit visit)
{
    visit(to.mass, from.mass);
    for (auto member : {&Particles::position, &Particles::velocity, &Particles::acceleration}) {
        visit((to.*member).x, (from.*member).x);
        visit((to.*member).y, (from.*member).y);
        visit((to.*member).z, (from.*member).z);
    }
    visit(to.potential, from.potential);
    visit(to.id, from.id);
    visit(to.type, from.type);
    visit(to.component, from.component);
}

Particles::Particles(Uninitialised, Backend where, std::size_t n)
    : mass(where, n),
      position(where, n),
      velocity(where, n),
      acceleration(where, n),
      potential(where, n),
      id(where, n),
      type(where, n),
      component(where, n)
{
    AUREOLE_EXPECT(n <= max_particles, "{} particles are more than one set holds ({})", n, max_particles);
}

Particles::Particles(Backend where, std::size_t n) : Particles(Uninitialised{}, Backend::cpu, n)
{
    for_each_array(*this, *this, [](auto& array, auto&) { std::ranges::fill(array.host(), 0); });
    std::iota(id.host().begin(), id.host().end(), std::uint64_t{1});
    std::ranges::fill(type.host(), ParticleType{1});
    if (where != Backend::cpu) *this = copy_to(where);
}

ParticlesView Particles::view()
{
    return {static_cast<Index>(size()), where(),          mass.data(), position.view(), velocity.view(),
            acceleration.view(),        potential.data(), id.data(),   type.data(),     component.data()};
}

ConstParticlesView Particles::view() const { return const_cast<Particles*>(this)->view(); }

ParticlesView Particles::reading_view() const { return const_cast<Particles*>(this)->view(); }

Particles Particles::copy_to(Backend where) const
{
    Particles result;
    for_each_array(result, *this, [where](auto& to, const auto& from) { to = from.copy_to(where); });
    return result;
}

Particles Particles::gathered(std::span<const Index> order) const
{
    Particles result;
    for_each_array(result, *this, [order, n = size()](auto& to, const auto& from) {
        if (from.size() == 0 && n > 0) return;  // absent
        to = std::remove_reference_t<decltype(to)>(Backend::cpu, order.size());
        const auto source = from.host();
        const auto target = to.host();
        for (std::size_t k = 0; k < order.size(); ++k) target[k] = source[order[k]];
    });
    return result;
}

std::size_t Particles::bytes_per_particle()
{
    std::size_t bytes = 0;
    Particles none;
    for_each_array(none, none, [&bytes](auto& array, auto&) { bytes += sizeof(*array.data()); });
    return bytes;
}

void expect_finite(const Particles& host, const std::string& what)
{
    const auto check = [&](std::span<const double> values, const char* name) {
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!std::isfinite(values[i]))
                throw Error(fmt::format("{}: particle {} (id {}) has {} = {}, expected a finite number", what,
                                        i, host.id.host()[i], name, values[i]));
    };
    check(host.mass.host(), "mass");
    check(host.position.x.host(), "x");
    check(host.position.y.host(), "y");
    check(host.position.z.host(), "z");
    check(host.velocity.x.host(), "vx");
    check(host.velocity.y.host(), "vy");
    check(host.velocity.z.host(), "vz");
    for (std::size_t i = 0; i < host.size(); ++i)
        if (host.mass.host()[i] < 0)
            throw Error(fmt::format("{}: particle {} (id {}) has mass {}, expected at least 0", what, i,
                                    host.id.host()[i], host.mass.host()[i]));
}

}  // namespace aureole
