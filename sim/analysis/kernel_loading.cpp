#include "sim/analysis/kernel_loading.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <string>
#include <system_error>

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

namespace fs = std::filesystem;

/// What stands before and behind the numbers in the names of a snapshot's files.
struct NumberedFiles {
    std::string before, behind;

    fs::path name(std::uintmax_t number) const { return before + std::to_string(number) + behind; }
};

bool is_number(const std::string& extension)
{
    return extension.size() > 1 &&
           std::ranges::all_of(extension.substr(1), [](char c) { return c >= '0' && c <= '9'; });
}

NumberedFiles files_of(const fs::path& snapshot)
{
    const std::string ending = snapshot.extension().string();
    const fs::path stem = fs::path(snapshot).replace_extension();
    if (is_number(ending)) return {stem.string() + ".", ""};
    if (is_number(stem.extension().string()))
        return {fs::path(stem).replace_extension().string() + ".", ending};
    for (const NumberedFiles& files :
         {NumberedFiles{snapshot.string() + ".", ".hdf5"}, NumberedFiles{snapshot.string() + ".", ".h5"},
          NumberedFiles{stem.string() + ".", ending}})
        if (std::error_code error; fs::exists(files.name(0), error)) return files;
    return {snapshot.string() + ".", ""};
}

}  // namespace

bool takes_long_to_read(const fs::path& snapshot, std::uintmax_t least)
{
    std::error_code error;
    const std::uintmax_t alone = fs::file_size(snapshot, error);
    if (!error && alone >= least) return true;
    const NumberedFiles files = files_of(snapshot);
    std::uintmax_t bytes = 0;
    for (std::uintmax_t k = 0; bytes < least; ++k) {
        const std::uintmax_t more = fs::file_size(files.name(k), error);
        if (error) return false;
        bytes += more;
    }
    return true;
}

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
    begin([exec, halos, catalogue, number = device::selected()](bool periodic, const Progress& progress) {
        omp_set_num_threads(1);  // the others may be needed by what the caller does meanwhile
        device::select(number);
        static_cast<void>(catalogue_of_sample(exec, halos, periodic, catalogue, progress));
    });
}

namespace {

constexpr bool spaces[] = {true, false};  ///< periodic ones and others, in their order

}  // namespace

void KernelLoading::begin(const Search& search)
{
    const auto load = [this, search] {
        try {
            const Progress progress{{}, [this] { return stops_.load(); }};
            for (const bool periodic : spaces) {
                search(periodic, progress);
                ++n_searched_;
                n_searched_.notify_all();
            }
        } catch (...) {  // the search that follows meets it again
        }
        n_searched_ = std::size(spaces);
        n_searched_.notify_all();
    };
    try {
        work_ = std::async(std::launch::async, load);
    } catch (const std::exception&) {  // without another thread kernels are loaded later
    }
}

KernelLoading::~KernelLoading()
{
    stops_ = true;
    if (work_.valid()) work_.wait();
}

void KernelLoading::finish(bool periodic)
{
    if (!work_.valid()) return;
    const int needed = periodic == spaces[0] ? 1 : 2;
    for (int n = n_searched_; n < needed; n = n_searched_) n_searched_.wait(n);
    stops_ = true;
    work_.wait();
}

}  // namespace aureole::run
