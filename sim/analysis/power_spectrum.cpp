#include "sim/analysis/power_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "sim/core/error.hpp"
#include "sim/core/fft/fft.hpp"
#include "sim/core/mesh/assignment.hpp"

namespace aureole::run {
namespace {

using std::numbers::pi;
using Complex = std::complex<double>;

constexpr Exec on_host{Backend::cpu};
constexpr auto assignment = mesh::Assignment::pcs;
constexpr int least_mesh = 8, most_mesh = 2048, most_folds = 20;
constexpr int shells_of_a_fold = 8;

/// The largest whole wave number whose shell a mesh of n points covers.
int last_shell(int n) { return (n - 1) / 2; }

/// Lower edges of the shells that one mesh gives, and the upper edge of the last, in waves along the mesh.
std::vector<double> shell_edges(int n, bool folded)
{
    std::vector<double> edges;
    const double last = last_shell(n) + 0.5;
    if (folded)
        for (int j = 0; j <= shells_of_a_fold; ++j)
            edges.push_back(last * std::exp2(static_cast<double>(j) / shells_of_a_fold - 1));
    else
        for (int i = 1; i <= last_shell(n) + 1; ++i) edges.push_back(i - 0.5);
    return edges;
}

/// The shell of modes whose squared wave number is the index, or -1.
std::vector<int> shell_table(const std::vector<double>& edges)
{
    std::vector<int> shell(static_cast<std::size_t>(edges.back() * edges.back()) + 1, -1);
    for (std::size_t square = 0; square < shell.size(); ++square) {
        const auto above = std::ranges::upper_bound(edges, std::sqrt(static_cast<double>(square)));
        if (above != edges.end()) shell[square] = static_cast<int>(above - edges.begin()) - 1;
    }
    return shell;
}

struct ShellSum {
    double k = 0, power = 0;  ///< of all modes
    std::int64_t modes = 0;

    void add(const ShellSum& other)
    {
        k += other.k;
        power += other.power;
        modes += other.modes;
    }
};

/// Of index i along an axis.
struct AxisMode {
    int wave;
    double window;        ///< 1 / W^2
    Complex half_cell;    ///< exp(-i k h / 2), which moves the second mesh to the first
    std::int64_t copies;  ///< 2 on the last axis where the conjugate is not stored
};

std::vector<AxisMode> axis_modes(int n)
{
    std::vector<AxisMode> modes;
    for (int i = 0; i < n; ++i) {
        const int wave = 2 * i < n ? i : i - n;
        const double x = pi * wave / n, sinc = wave == 0 ? 1 : std::sin(x) / x;
        modes.push_back({wave, std::pow(sinc, -2 * static_cast<int>(assignment)), std::polar(1.0, -x),
                         wave == 0 || 2 * i == n ? 1 : 2});
    }
    return modes;
}

/// Masses on two interlaced meshes of a box that may be folded, as modes.
class InterlacedModes {
public:
    explicit InterlacedModes(int n)
        : n_(n),
          axis_(axis_modes(n)),
          transform_(GridShape::cube(n)),
          sums_(transform_.shape().size()),
          values_(sums_.size()),
          first_(transform_.n_modes()),
          second_(first_.size())
    {
    }

    /// `side` of the folded box; `scale`: fixed_point_scale().
    void set(const ConstParticlesView& host, double side, double scale)
    {
        fill(host, {n_, side, 0}, scale, first_);
        fill(host, {n_, side, 0.5}, scale, second_);
    }

    /// Sums of wave numbers along the mesh and of |delta_k|^2, in a fixed order.
    std::vector<ShellSum> sums(const std::vector<double>& edges) const
    {
        const std::vector<int> shell = shell_table(edges);
        const std::size_t n_shells = edges.size() - 1;
        std::vector<ShellSum> of_planes(static_cast<std::size_t>(n_) * n_shells), result(n_shells);
#pragma omp parallel for schedule(dynamic)
        for (int i = 0; i < n_; ++i)
            add_plane(i, shell, of_planes.data() + static_cast<std::size_t>(i) * n_shells);
        for (std::size_t k = 0; k < of_planes.size(); ++k) result[k % n_shells].add(of_planes[k]);
        return result;
    }

private:
    void fill(const ConstParticlesView& host, const mesh::PeriodicMesh& mesh, double scale,
              std::vector<Complex>& modes)
    {
        std::ranges::fill(sums_, 0);
        mesh::deposit(on_host, host, mesh, assignment, scale, sums_.data());
        mesh::set_values(on_host, mesh, sums_.data(), 1 / scale, values_.data());
        transform_.forward(values_, modes);
    }

    void add_plane(int i, const std::vector<int>& shell, ShellSum* to) const
    {
        const double mass = first_[0].real();
        const std::size_t row = static_cast<std::size_t>(n_ / 2) + 1;
        for (int j = 0; j < n_; ++j) {
            const AxisMode &x = axis_[static_cast<std::size_t>(i)], &y = axis_[static_cast<std::size_t>(j)];
            const std::size_t begin =
                (static_cast<std::size_t>(i) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(j)) *
                row;
            for (std::size_t l = 0; l < row; ++l) {
                const AxisMode& z = axis_[l];
                const auto square =
                    static_cast<std::size_t>(x.wave * x.wave + y.wave * y.wave + z.wave * z.wave);
                if (square >= shell.size() || shell[square] < 0) continue;
                const Complex mode =
                    first_[begin + l] + x.half_cell * y.half_cell * z.half_cell * second_[begin + l];
                const double power = std::norm(mode / (2 * mass)) * x.window * y.window * z.window;
                const auto copies = static_cast<double>(z.copies);
                to[shell[square]].add(
                    {copies * std::sqrt(static_cast<double>(square)), copies * power, z.copies});
            }
        }
    }

    int n_;
    std::vector<AxisMode> axis_;
    RealTransform<double> transform_;
    std::vector<std::int64_t> sums_;
    std::vector<double> values_;
    std::vector<Complex> first_, second_;
};

struct Masses {
    double heaviest = 0, shot_noise = 0;  ///< the latter for a volume of 1
};

Masses masses_of(const ConstParticlesView& host)
{
    Masses result;
    double sum = 0, squares = 0;
    for (Index i = 0; i < host.n; ++i) {
        const double m = host.mass[i];
        AUREOLE_EXPECT(m >= 0 && std::isfinite(m),
                       "particle {} has the mass {}, expected a finite one from 0 on", host.id_of(i), m);
        result.heaviest = std::max(result.heaviest, m);
    }
    AUREOLE_EXPECT(result.heaviest > 0, "the masses of all {} particles are zero, which have no spectrum",
                   host.n);
    for (Index i = 0; i < host.n; ++i) {
        const double m = host.mass[i] / result.heaviest;
        sum += m;
        squares += m * m;
    }
    result.shot_noise = squares / sum / sum;
    return result;
}

void expect_usable(const ConstParticlesView& host, double side, const PowerSettings& settings)
{
    AUREOLE_EXPECT(host.where == Backend::cpu, "particles are on {}, expected host memory",
                   name_of(host.where));
    AUREOLE_EXPECT(host.n > 0, "a spectrum of no particles, expected at least one");
    AUREOLE_EXPECT(side > 0 && std::isfinite(side), "a box of side {}, expected a positive number", side);
    AUREOLE_EXPECT(settings.mesh == 0 || (settings.mesh >= least_mesh && settings.mesh <= most_mesh),
                   "a mesh of {} points along an axis, expected {} to {}, or 0", settings.mesh, least_mesh,
                   most_mesh);
    AUREOLE_EXPECT(settings.folds >= 0 && settings.folds <= most_folds, "{} folds, expected 0 to {}",
                   settings.folds, most_folds);
}

}  // namespace

PowerSpectrum power_spectrum(const ConstParticlesView& host, double side, const PowerSettings& settings,
                             const Progress& progress)
{
    expect_usable(host, side, settings);
    const Masses masses = masses_of(host);
    const double volume = side * side * side;
    PowerSpectrum result;
    result.mesh = power_mesh(settings, host.n);
    result.shot_noise = volume * masses.shot_noise;
    const double scale = mesh::fixed_point_scale(masses.heaviest, host.n);
    InterlacedModes modes(result.mesh);
    for (int fold = 0; fold <= settings.folds; ++fold) {
        progress.at(static_cast<double>(fold) / (settings.folds + 1), "power spectrum");
        const double folded_side = std::ldexp(side, -fold);
        modes.set(host, folded_side, scale);
        for (const ShellSum& shell : modes.sums(shell_edges(result.mesh, fold > 0))) {
            if (shell.modes == 0) continue;
            const auto n = static_cast<double>(shell.modes);
            result.k.push_back(2 * pi / folded_side * shell.k / n);
            result.modes.push_back(shell.modes);
            result.power.push_back(volume * shell.power / n);
        }
    }
    return result;
}

int power_mesh(const PowerSettings& settings, std::uint64_t n)
{
    if (settings.mesh > 0) return settings.mesh;
    const double wanted = 2 * std::cbrt(static_cast<double>(n));
    return smooth_number(
        static_cast<int>(std::clamp<double>(std::ceil(wanted - 1e-9), least_mesh, most_mesh)));
}

memory::Part power_memory(const PowerSettings& settings, Backend where, std::uint64_t n)
{
    const GridShape shape = GridShape::cube(power_mesh(settings, n));
    const std::size_t bytes =
        shape.size() * (sizeof(std::int64_t) + sizeof(double)) + 2 * shape.n_modes() * sizeof(Complex);
    memory::Part part{.what = "spectra", .knob = "a smaller power.mesh"};
    (where == Backend::cpu ? part.passing : part.host) = bytes;
    return part;
}

}  // namespace aureole::run
