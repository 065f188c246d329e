#include "gravity/scf/membership.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "sim/core/shrinking_sphere/shrinking_sphere.hpp"

namespace aureole::gravity::scf {
namespace {

/// Elements of an array in host memory: the array itself, or a copy from the device.
template <class T>
class HostView {
public:
    HostView(Backend where, const T* data, IndexRange range)
    {
        if (!data) return;
        values_ = {data + range.begin, range.size()};
        if (where == Backend::cpu || range.size() == 0) return;
        copy_.resize(range.size());
        device::copy(copy_.data(), data + range.begin, range.size() * sizeof(T));
        values_ = copy_;
    }
    std::span<const T> values() const { return values_; }
    T operator[](std::size_t k) const { return values_[k]; }

private:
    std::vector<T> copy_;
    std::span<const T> values_;
};

/// Calls `visit` with the index of each member, counted from the begin of their range.
template <class Visitor>
void for_each_member(const ConstParticlesView& p, const Membership& membership, Visitor visit)
{
    const HostView<Component> numbers(p.where, membership.contiguous ? nullptr : p.component,
                                      membership.range);
    for (Index k = 0; k < membership.range.size(); ++k)
        if (membership.contiguous || numbers[k] == membership.component) visit(k);
}

}  // namespace

Members Membership::among(IndexRange sources) const
{
    const Index begin = std::max(range.begin, sources.begin);
    return {
        {begin, std::max(begin, std::min(range.end, sources.end))}, contiguous ? -1 : component, mass_unit};
}

std::vector<Membership> components_of(const ConstParticlesView& p)
{
    const IndexRange all{0, p.n};
    const HostView<Component> numbers(p.where, p.component, all);
    const HostView<double> masses(p.where, p.mass, all);
    std::map<int, Membership> found;
    Membership* last = nullptr;
    for (Index i = 0; i < p.n; ++i) {
        const Component number = p.component ? numbers[i] : Component{0};
        if (!last || last->component != number) {
            const auto [place, is_new] = found.try_emplace(number);
            last = &place->second;
            if (is_new) *last = {number, {i, i}, true, 0, 0};
            if (last->range.end != i) last->contiguous = false;
        }
        last->range.end = i + 1;
        last->mass += masses[i];
        last->mass_unit = std::max(last->mass_unit, masses[i]);
    }
    std::vector<Membership> result;
    for (auto& [number, membership] : found) {
        double& unit = membership.mass_unit;  // so far the largest mass
        unit = unit > 1e-300 ? std::scalbn(1.0, std::ilogb(unit)) : 1;
        result.push_back(membership);
    }
    return result;
}

std::size_t densest_point_bytes([[maybe_unused]] Backend where, [[maybe_unused]] std::size_t n)
{
    if constexpr (with_cuda)
        if (where == Backend::cuda)
            return sizeof(DeviceSphere) + aureole::detail::shrinking_spheres_cuda_bytes(n, 1);
    return 0;
}

Vec3 densest_point([[maybe_unused]] Exec exec, const ConstParticlesView& p, const Membership& membership,
                   [[maybe_unused]] Buffer<std::byte>& scratch)
{
    const IndexRange range = membership.range;
    if constexpr (with_cuda)
        if (p.where == Backend::cuda) {
            ConstParticlesView places = p;
            places.velocity = {};
            const SphereMembers members{range, membership.contiguous ? -1 : membership.component};
            scratch.require(p.where, densest_point_bytes(p.where, p.n));  // as forecast
            // the scratch first, whose parts are aligned to 256 bytes
            const std::size_t found_at = aureole::detail::shrinking_spheres_cuda_bytes(range.size(), 1);
            auto* const found = reinterpret_cast<DeviceSphere*>(scratch.data() + found_at);
            aureole::detail::shrinking_spheres_cuda(exec.stream, places, {&members, 1}, scratch.data(),
                                                    found);
            DeviceSphere sphere;
            device::copy(exec.stream, &sphere, found, sizeof sphere);
            device::wait(exec.stream);
            return sphere.centre;
        }
    const HostView<double> mass(p.where, p.mass, range), x(p.where, p.position.x, range),
        y(p.where, p.position.y, range), z(p.where, p.position.z, range);
    memory::CountedVector<Index> members;
    members.reserve(range.size());
    for_each_member(p, membership, [&](Index k) { members.push_back(k); });
    return shrinking_sphere({mass.values(), x.values(), y.values(), z.values()}, std::move(members)).centre;
}

Vec3 most_bound_point(const ConstParticlesView& p, const Membership& membership, const double* potential)
{
    const IndexRange range = membership.range;
    const HostView<double> phi(p.where, potential, range);
    double least = std::numeric_limits<double>::infinity();
    std::uint64_t least_id = 0;
    Index best = 0;
    for_each_member(p, membership, [&](Index k) {
        if (!(phi[k] <= least)) return;
        const std::uint64_t id =
            p.id ? HostView<std::uint64_t>(p.where, p.id + range.begin, {k, k + 1})[0] : range.begin + k;
        if (phi[k] == least && id > least_id) return;
        least = phi[k];
        least_id = id;
        best = k;
    });
    const auto at = [&](const double* axis) {
        return HostView<double>(p.where, axis + range.begin, {best, best + 1})[0];
    };
    return {at(p.position.x), at(p.position.y), at(p.position.z)};
}

}  // namespace aureole::gravity::scf
