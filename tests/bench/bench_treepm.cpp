// A force evaluation in a periodic box by treepm, and its parts. Prints one JSON line per case: median
// milliseconds of the whole, of preparation (masses to the mesh, transforms, tree) and of the rest (walk,
// gradients, interpolation), of its other parts, and bytes a particle that were held at most.
//
//     bench_treepm [--backend cpu|cuda] [--solver treepm|tree] [--input early|SNAPSHOT ...]
//                  [--n 64 ...] [--copies 1 ...]
//                  [--alpha 0.001 ...] [--eps 0.025] [--precision mixed|double] [--potential 0|1]
//                  [--interlaced 1|0] [--mesh 0] [--split 0] [--cut 0] [--repeats 3]
//
// early: n^3 particles near their sites, as at high redshift. SNAPSHOT: a box, `copies` times along each axis
// of a larger one. eps: of the spline, in mean spacings. tree: the open tree with the same particles and
// alpha, without images, to compare with.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "gravity/mesh/long_range.hpp"
#include "gravity/mesh/spline_field.hpp"
#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "gravity/tree/tree.hpp"
#include "gravity/treepm/mesh_tiles.hpp"
#include "gravity/treepm/treepm.hpp"
#include "tests/bench/boxes.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;
using bench::Options;

void print_part(Exec exec, const char* name, int repeats, const std::function<void()>& work)
{
    fmt::print(", \"{}_ms\": {:.4g}", name, 1e3 * bench::median_seconds(exec, 1, repeats, work));
}

/// The parts one after the other, on the CPU; what is left of the whole is the walk.
void measure_parts_on_cpu(const ParticlesView& view, const gravity::treepm::Split& split, int repeats,
                          const gravity::ForceOutputs& outputs)
{
    const Exec exec{Backend::cpu};
    gravity::SplineField mesh(split.mesh, 1, {split.split, split.cut});
    gravity::tree::SourceTree tree;
    const gravity::Selection all(0, view.n);
    print_part(exec, "tree", repeats, [&] {
        tree.build(exec, view, all, {all, {}}, gravity::tree::type_softening({}), 16);
    });
    const auto order = gravity::Selection::listed(tree.ordered(exec, view, all), view.n);
    print_part(exec, "masses_and_modes", repeats, [&] { mesh.set_sources(view); });
    print_part(exec, "field", repeats, [&] { mesh.add_field(view, order, outputs); });
}

/// The same on a GPU.
template <class Real>
void measure_parts(Exec exec, const ParticlesView& view, const gravity::LongRangeConfig& config, int repeats,
                   const gravity::ForceOutputs& outputs)
{
    gravity::LongRange<Real> mesh(exec.backend, config);
    gravity::tree::SourceTree tree;
    const gravity::Selection all(0, view.n);
    const auto print = [&](const char* name, const std::function<void()>& work) {
        print_part(exec, name, repeats, work);
    };
    print("tree", [&] { tree.build(exec, view, all, {all, {}}, gravity::tree::type_softening({}), 16); });
    const auto order = gravity::Selection::listed(tree.ordered(exec, view, all), view.n);
    if constexpr (with_cuda && sizeof(Real) == sizeof(float)) {
        const auto assign = [&](double shift, float* values) {
            gravity::treepm::assign_masses_cuda(
                exec.stream, {tree.view(), config.n, config.side, shift, mesh.padding(), values});
        };
        Buffer<float> values(exec.backend,
                             static_cast<std::size_t>(config.n) * config.n * (config.n + mesh.padding()));
        print("masses", [&] { assign(0, values.data()); });
        print("masses_and_modes", [&] { mesh.set_masses(exec.stream, assign); });
    } else {
        print("masses_and_modes", [&] { mesh.set_sources(exec.stream, view); });
    }
    print("field", [&] { mesh.add_field(exec.stream, view, order, outputs); });
}

void measure(const Options& options, Exec exec, Particles& particles, const std::string& input, double alpha)
{
    const ParticlesView view = particles.view();
    gravity::Config config;
    config.solver = options.text("--solver");
    const bool is_open = config.solver == "tree";
    config.precision = options.precision();
    config.softening.kernel = gravity::SofteningKernel::spline;
    config.softening.length.fill(options.number("--eps") / std::cbrt(static_cast<double>(view.n)));
    auto& own = config.plugins.get<gravity::treepm::Config>();
    own.force_accuracy = alpha;
    config.plugins.get<gravity::tree::Config>().force_accuracy = alpha;
    if (const std::string given = options.text("--interlaced"); !given.empty()) own.interlaced = given != "0";
    const gravity::ForceOutputs outputs{view.acceleration,
                                        options.flag("--potential") ? view.potential : nullptr};
    own.mesh = options.count("--mesh");
    own.split = options.number("--split");
    own.cut = options.number("--cut");
    const int repeats = std::max(1, options.count("--repeats"));
    auto solver = gravity::make_solver(config);
    std::vector<double> prepare, evaluate, whole;
    double first = 0;
    for (int k = -2; k < repeats; ++k) {
        const double before = bench::seconds_of(exec, [&] {
            solver->prepare(exec, view, {.time = 0, .sources = {}, .box = {is_open ? 0.0 : 1.0}},
                            {{}, view.acceleration});
        });
        const double after = bench::seconds_of(exec, [&] {
            solver->evaluate(exec, view, {{}, view.acceleration}, outputs);
        });
        if (k == -2) first = before + after;
        if (k < 0) continue;
        prepare.push_back(before);
        evaluate.push_back(after);
        whole.push_back(before + after);
    }
    const gravity::treepm::Split split = gravity::treepm::split_for(own, view.n, 1, exec.backend);
    fmt::print(
        "{{\"kernel\": \"{}\", \"backend\": \"{}\", \"precision\": \"{}\", \"input\": \"{}\", \"n\": {}, "
        "\"alpha\": {}, \"mesh\": {}, \"cut_over_spacing\": {:.3g}, \"ms\": {:.5g}, \"first_ms\": {:.5g}, "
        "\"prepare_ms\": {:.4g}, \"evaluate_ms\": {:.4g}, \"forecast_bytes_per_particle\": {:.1f}, "
        "\"peak_bytes_per_particle\": {:.1f}",
        config.solver, name_of(exec.backend), options.text("--precision"), input, view.n, alpha, split.mesh,
        split.cut * std::cbrt(static_cast<double>(view.n)), bench::median_ms(whole), 1e3 * first,
        bench::median_ms(prepare), bench::median_ms(evaluate),
        static_cast<double>(solver->scratch_bytes(exec.backend, view.n)) / view.n,
        static_cast<double>(memory::peak_bytes(exec.backend)) / view.n);
    solver.reset();
    if (is_open) {
        fmt::print("}}\n");
        return;
    }
    if (exec.backend == Backend::cpu) {
        measure_parts_on_cpu(view, split, repeats, outputs);
        fmt::print("}}\n");
        std::fflush(stdout);
        return;
    }
    const gravity::LongRangeConfig mesh{split.mesh,       1,        split.split, mesh::Assignment::pcs,
                                        split.interlaced, split.cut};
    if (config.precision == Precision::mixed)
        measure_parts<float>(exec, view, mesh, repeats, outputs);
    else
        measure_parts<double>(exec, view, mesh, repeats, outputs);
    fmt::print("}}\n");
    std::fflush(stdout);
}

void run(const Options& options)
{
    const Exec exec{options.backend()};
    bench::for_each_box(options, exec, [&](const std::string& input, Particles& particles) {
        memory::reset_peak(exec.backend);
        for (const auto& alpha : options.all("--alpha"))
            measure(options, exec, particles, input, std::stod(alpha));
    });
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(
        argc, argv, "",
        "--backend cpu --solver treepm --input early --n 64 --copies 1 --alpha 0.001 --eps 0.025 "
        "--precision mixed --potential 0 --interlaced --mesh 0 --split 0 --cut 0 --repeats 3",
        run);
}
