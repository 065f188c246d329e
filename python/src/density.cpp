// Fields on uniform grids, and power spectra.
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <array>
#include <limits>

#include "density/deposit/deposit.hpp"
#include "device_arrays.hpp"
#include "module.hpp"
#include "sim/analysis/power_spectrum.hpp"

namespace aureole::python {
namespace {

using Cells = std::array<std::int64_t, 3>;

/// One value or three of every cell as an array of numpy.
template <class T, class Of>
nb::object field_of(const density::Grid& grid, const Cells& cells, std::size_t width, Of of)
{
    std::vector<T> values(static_cast<std::size_t>(grid.n_cells()) * width);
    for (std::int64_t cell = 0; cell < grid.n_cells(); ++cell)
        of(cell, values.data() + static_cast<std::size_t>(cell) * width);
    std::vector<std::size_t> shape(cells.begin(), cells.end());
    if (width > 1) shape.push_back(width);
    return to_numpy(std::move(values), shape);
}

density::Grid grid_of(const Cells& cells, const std::array<double, 3>& low, const std::array<double, 3>& high,
                      double box)
{
    density::Grid grid;
    grid.box = {box};
    for (std::size_t a = 0; a < 3; ++a) grid.axis[a] = {low[a], high[a], cells[a]};
    return grid;
}

/// A dictionary of arrays (nx, ny, nz): "mass", and what was asked for.
nb::dict density_grid(const HostParticles& particles, const Cells& cells, const std::array<double, 3>& low,
                      const std::array<double, 3>& high, double box, const std::string& method, bool velocity,
                      bool dispersion, bool streams, int device, nb::handle progress)
{
    const auto known = density::method_of(method);
    AUREOLE_EXPECT(known, "method: found '{}', expected tetrahedra, ngp, cic or tsc", method);
    density::DepositConfig config{.method = *known,
                                  .grid = grid_of(cells, low, high, box),
                                  .fields = {velocity, dispersion, streams},
                                  .lattice = {}};
    std::optional<density::DensityGrid> grid;
    {
        const DeviceCall call(device, progress);
        config.progress = call.progress();
        grid.emplace(density::deposit(call.exec(), particles.view(), config));
    }
    nb::dict fields;
    fields["mass"] =
        field_of<double>(config.grid, cells, 1, [&](auto cell, double* to) { *to = grid->mass(cell); });
    if (velocity)
        fields["velocity"] = field_of<double>(config.grid, cells, 3, [&](auto cell, double* to) {
            const Vec3 v = grid->velocity(cell);
            to[0] = v.x, to[1] = v.y, to[2] = v.z;
        });
    if (dispersion)
        fields["dispersion"] = field_of<double>(config.grid, cells, 1,
                                                [&](auto cell, double* to) { *to = grid->dispersion(cell); });
    if (streams)
        fields["streams"] =
            field_of<Index>(config.grid, cells, 1, [&](auto cell, Index* to) { *to = grid->streams(cell); });
    return fields;
}

int device_of(const HostParticles&) { return -1; }
int device_of(const DeviceParticles& particles) { return particles.device(); }

/// Wave numbers, power, numbers of modes, shot noise, points of the mesh along an axis. It is made where the
/// particles are.
template <class Particles>
nb::tuple power_spectrum(const Particles& particles, double side, int mesh, int folds, nb::handle progress)
{
    run::PowerSpectrum found;
    {
        const DeviceCall call(device_of(particles), progress);
        found = run::power_spectrum(call.exec(), particles.view(), side, {.mesh = mesh, .folds = folds},
                                    call.progress());
    }
    return nb::make_tuple(to_numpy(std::move(found.k)), to_numpy(std::move(found.power)),
                          to_numpy(std::move(found.modes)), found.shot_noise, found.mesh);
}

}  // namespace

void bind_density(nb::module_& module)
{
    module.def("density_grid", density_grid, nb::arg("particles"), nb::arg("cells"), nb::arg("low"),
               nb::arg("high"), nb::arg("box"), nb::arg("method"), nb::arg("velocity"), nb::arg("dispersion"),
               nb::arg("streams"), nb::arg("device"), nb::arg("progress").none());
    module.def("power_spectrum", power_spectrum<HostParticles>, nb::arg("particles"), nb::arg("side"),
               nb::arg("mesh"), nb::arg("folds"), nb::arg("progress").none());
    module.def("power_spectrum", power_spectrum<DeviceParticles>, nb::arg("particles"), nb::arg("side"),
               nb::arg("mesh"), nb::arg("folds"), nb::arg("progress").none());
}

}  // namespace aureole::python
