#include "sim/analysis/kernel_loading.hpp"

#include <omp.h>

#include <cmath>
#include <exception>

#include "halo/needed_arrays.hpp"
#include "sim/analysis/halo_search.hpp"
#include "sim/core/device_sharing.hpp"
#include "sim/core/random.hpp"

namespace aureole::run {
namespace {

constexpr Index n_sample = Index{1} << 18;

/// So many clumps of so many particles; the other particles are spread evenly.
struct Clumps {
    Index n, n_members;
};
constexpr Clumps clumps[] = {{1, 100000}, {2, 20000}, {4, 5000}, {8, 2000}, {100, 200}, {300, 40}};

/// They lie on a lattice of 8^3 sites, so that none touches another.
constexpr Index sites = 8;

/// Particle `i`, a member of a clump of n_members with density ~ 1 / r^2, and G = 1.
void place_member(Particles& host, Index i, Index clump, Index n_members)
{
    const double mass = static_cast<double>(n_members) / n_sample, radius = 0.08 * std::cbrt(mass);
    Random random(1, i, 0);
    const Vec3 site{clump % sites + 0.5, clump / sites % sites + 0.5, clump / (sites * sites) + 0.5};
    const double r = radius * random.uniform(), speed = std::sqrt(mass / radius / 3);
    const Vec3 at = 1.0 / sites * site + r * random.direction();
    host.position.x.host()[i] = at.x;
    host.position.y.host()[i] = at.y;
    host.position.z.host()[i] = at.z;
    for (auto* axis : {&host.velocity.x, &host.velocity.y, &host.velocity.z})
        axis->host()[i] = speed * random.normal();
}

Particles sample_particles()
{
    Particles host = io::new_particles(n_sample, {true, false, false});
    for (double& mass : host.mass.host()) mass = 1.0 / n_sample;
    Index i = 0, clump = 0;
    for (const Clumps& some : clumps)
        for (Index k = 0; k < some.n; ++k, ++clump)
            for (Index member = 0; member < some.n_members; ++member)
                place_member(host, i++, clump, some.n_members);
    for (; i < n_sample; ++i) {
        Random random(1, i, 0);
        for (auto* axis : {&host.position.x, &host.position.y, &host.position.z})
            axis->host()[i] = random.uniform();
    }
    return host;
}

/// What has units, and what chooses particles, is that of the sample.
HalosConfig settings_of_sample(HalosConfig halos)
{
    halos.linking_length = 0.2;
    halos.absolute_linking_length.reset();
    halos.boundary_density.reset();
    halos.mean_separation = std::cbrt(1.0 / n_sample);
    if (halos.linking_velocity) halos.linking_velocity = 1;
    halos.min_members = 20;
    halos.types.clear();
    return halos;
}

}  // namespace

HaloCatalogue catalogue_of_sample(Exec exec, const HalosConfig& user, bool periodic, bool catalogue,
                                  const Progress& progress)
{
    const HalosConfig halos = settings_of_sample(user);
    progress.at(0, "a search in a sample");
    const Particles there =
        halo::copy_needed(exec.backend, sample_particles(), {.mass = true, .velocity = true});
    HaloContext context;
    if (periodic) context.box = {1};
    const HaloSearch search = plan_halo_search(halos, n_sample, context.box);
    context.linking_length = search.fof.linking_length;
    context.softening = 0.02 * *halos.mean_separation;
    context.gravitational_constant = 2;  // 1 would leave out the kernel that scales masses
    context.densities = halo::reference_densities(1);
    const auto finder = search.make_finder();
    CatalogueMaker maker;
    const halo::GroupsView groups = maker.find(exec, there.view(), *finder, {{}, progress.stop});
    if (!catalogue) return {};
    return maker.make({exec, there.view(), groups}, halos, context, {.order = true}, progress);
}

KernelLoading::KernelLoading(Exec exec, const HalosConfig& halos, bool catalogue)
{
    if (exec.backend == Backend::cpu) return;
    const auto load = [this, exec, halos, catalogue, number = device::selected()] {
        try {
            omp_set_num_threads(1);  // the others may be needed by what the caller does meanwhile
            device::select(number);
            const Progress progress{{}, [this] { return stops_.load(); }};
            for (const bool periodic : {true, false})
                static_cast<void>(catalogue_of_sample(exec, halos, periodic, catalogue, progress));
        } catch (...) {  // the search that follows meets it again
        }
    };
    try {
        work_ = std::async(std::launch::async, load);
    } catch (const std::exception&) {  // without another thread kernels are loaded later
    }
}

KernelLoading::~KernelLoading()
{
    stops_ = true;
    finish();
}

void KernelLoading::finish()
{
    if (work_.valid()) work_.wait();
}

}  // namespace aureole::run
