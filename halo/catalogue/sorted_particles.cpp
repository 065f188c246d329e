#include "halo/catalogue/sorted_particles.hpp"

#include "halo/catalogue/catalogue_loops.hpp"
#include "halo/copy_bytes.hpp"
#include "sim/core/error.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo {
namespace {

/// Gathers one array after the other.
class Gatherer {
public:
    Gatherer(Exec exec, const Buffer<Index>& order) : exec_(exec), order_(order)
    {
        if (exec.backend != Backend::cpu) spare_.require(exec.backend, order.size() * sizeof(double));
    }

    /// `to` is in host memory; an absent array leaves it alone.
    template <class T>
    void operator()(T* to, const T* from)
    {
        if (!from || order_.size() == 0) return;
        const auto n = static_cast<Index>(order_.size());
        if (exec_.backend == Backend::cpu) return gather(exec_, n, order_.data(), from, sizeof(T), to);
        gather(exec_, n, order_.data(), from, sizeof(T), spare_.data());
        copy_bytes(exec_, to, spare_.data(), n * sizeof(T));
    }

private:
    Exec exec_;
    const Buffer<Index>& order_;
    Buffer<std::byte> spare_;
};

}  // namespace

Buffer<Index> order_by_group(Exec exec, const GroupsView& groups, const MembersView& members)
{
    AUREOLE_EXPECT(members.n_members <= groups.n, "{} members of {} particles", members.n_members, groups.n);
    const std::size_t n = groups.n, n_left = n - members.n_members;
    Buffer<Index> order(exec.backend, n);
    if (n == 0) return order;
    Buffer<std::uint8_t> flag(exec.backend, n);
    Buffer<Index> left(exec.backend, n), n_selected(exec.backend, 1);
    Buffer<std::byte> scratch(exec.backend, select_flagged_scratch_bytes(exec.backend, n));
    flag_unlabelled(exec, groups.n, groups.label, flag.data());
    select_flagged(exec, n, flag.data(), left.data(), n_selected.data(), scratch.data());
    const Index n_found = fetched(exec, n_selected.data());
    AUREOLE_EXPECT(n_found == n_left, "{} particles without a group and {} members, of {} particles", n_found,
                   members.n_members, n);
    copy_bytes(exec, order.data(), members.particle, members.n_members * sizeof(Index));
    copy_bytes(exec, order.data() + members.n_members, left.data(), n_left * sizeof(Index));
    return order;
}

Particles gathered_on_host(Exec exec, const ConstParticlesView& from, const Buffer<Index>& order)
{
    Particles particles(Backend::cpu, order.size());
    Gatherer gathered(exec, order);
    for_each_array(particles.view(), from, [&](auto* to, const auto* values) { gathered(to, values); });
    return particles;
}

std::vector<std::int32_t> labels_on_host(Exec exec, const GroupsView& groups, const Buffer<Index>& order)
{
    std::vector<std::int32_t> labels(order.size());
    Gatherer(exec, order)(labels.data(), groups.label);
    return labels;
}

}  // namespace aureole::halo
