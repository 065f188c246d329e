// Maps and ellipses of a disk in the memory of a backend, step by step, beside one evaluation of the tree:
// members in the order of their ids, frame, map with h3 and h4, ellipses; the disk sorted by radius with the
// moments of its rings, what a bar and a pattern over the whole disk, a profile and angular momenta take
// beyond these. Prints one JSON line per case: median milliseconds of the repeats.
//
//     bench_disk [--backend cpu|cuda] [--n 1048576 ...] [--pixels 64] [--inclination 60] [--repeat 5]
//
// An exponential disk of half of the mass (R_d = 1, heights exponential of 0.1) that turns at a flat curve
// with dispersions of 0.2 exp(-R / 4), in a Hernquist sphere that is no member.
#include <fmt/format.h>

#include <cmath>

#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "sim/analysis/angular_momentum.hpp"
#include "sim/analysis/disk_profile.hpp"
#include "sim/analysis/disk_tables.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;
using bench::Options;

/// The even particles are the stars, of component 0.
Particles disk_in_sphere(std::size_t n)
{
    Particles host = bench::hernquist_sphere(n);
    const ParticlesView view = host.view();
#pragma omp parallel for
    for (Index i = 0; i < view.n; ++i) {
        view.component[i] = static_cast<Component>(i % 2);
        view.velocity.store(i, {});
        if (i % 2 == 1) continue;
        Random random(3, i, 0);
        const double first = random.uniform(), r = -std::log(first * random.uniform());
        const double phi = 6.283185307179586 * random.uniform(), height = -0.1 * std::log(random.uniform());
        const double sigma = 0.2 * std::exp(-r / 4),
                     turning = 0.7 * std::tanh(2 * r) + sigma * random.normal();
        const double outward = sigma * random.normal();
        view.position.store(
            i, {r * std::cos(phi), r * std::sin(phi), random.uniform() < 0.5 ? height : -height});
        view.velocity.store(i, {outward * std::cos(phi) - turning * std::sin(phi),
                                outward * std::sin(phi) + turning * std::cos(phi), sigma * random.normal()});
    }
    return host;
}

void measure(const Options& options, std::size_t n)
{
    const Exec exec{options.backend()};
    Particles particles = disk_in_sphere(n).copy_to(exec.backend);
    const ParticlesView view = particles.view();
    const int repeats = options.repeats();
    const auto ms = [&](auto&& work) { return 1e3 * bench::median_seconds(exec, 1, repeats, work); };
    gravity::Config config;
    config.solver = "tree";
    config.softening.length.fill(0.01);
    const auto solver = gravity::make_solver(config);
    const double forces = 1e3 * bench::median_seconds(exec, 2, repeats, [&] {
                              accelerate(*solver, exec, view, {.potential = true});
                          });
    const run::DiskMembers members{0x3f, {0}};
    run::DiskBodies bodies;
    const double choice = ms([&] { bodies = run::disk_bodies(exec, view, members); });
    run::DiskFrame frame;
    const double framing = ms([&] { frame = run::disk_frame(exec, bodies.view()); });
    run::SkyParticles sky;
    const double projection = ms([&] {
        sky = run::on_sky(exec, bodies.view(), frame, {.inclination = options.number("--inclination")});
    });
    run::DiskBodies sorted;
    std::vector<run::DiskRing> rings;
    std::vector<run::RingMoments> moments;
    const double ring = ms([&] {
        sorted = run::disk_in_frame(exec, bodies.view(), frame);
        rings = run::disk_rings(exec, sorted.view());
        moments = run::ring_moments(exec, sorted.view(), rings);
    });
    const double bar = ms([&] { run::measure_bar(exec, sorted.view(), rings, moments); });
    const double region = ms([&] {
        run::pattern_of(exec, sorted.view(), {0.1, 1.5, 5, 0, bodies.mass.size()}, 2);
    });
    const double profile =
        ms([&] { run::disk_profile(exec, sorted.view(), rings, moments, view, frame.centre); });
    const double momenta = ms([&] { run::angular_momenta(exec, view, frame); });
    const run::MapSettings settings{10 * frame.scale_radius, options.count("--pixels")};
    const double map = ms([&] { run::sky_map(exec, sky.view(), settings); });
    const double ellipses = ms(
        [&] { run::ellipse_table(exec, sky.view(), 0.1 * frame.scale_radius, 5 * frame.scale_radius, 24); });
    fmt::print(
        "{{\"benchmark\": \"disk\", \"backend\": \"{}\", \"n\": {}, \"stars\": {}, \"pixels\": {}, \"ms\": "
        "{{\"tree\": {:.3f}, \"members\": {:.3f}, \"frame\": {:.3f}, \"sky\": {:.3f}, \"map\": {:.3f}, "
        "\"ellipses\": {:.3f}, \"rings\": {:.3f}, \"bar\": {:.3f}, \"pattern\": {:.3f}, \"profile\": {:.3f}, "
        "\"angular_momentum\": {:.3f}}}}}\n",
        name_of(exec.backend), n, bodies.mass.size(), settings.pixels, forces, choice, framing, projection,
        map, ellipses, ring, bar, region, profile, momenta);
}

void run_cases(const Options& options)
{
    for (const std::string& n : options.all("--n")) measure(options, std::stoull(n));
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(
        argc, argv, "", "--backend cpu --n 1048576 --pixels 64 --inclination 60 --repeat 5", run_cases);
}
