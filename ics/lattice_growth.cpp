#include "ics/lattice_growth.hpp"

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <utility>

#include "sim/core/numerics/portable_math.hpp"

namespace aureole::ics {
namespace {

using std::numbers::pi;
using Matrix = std::array<std::array<double, 3>, 3>;

// Ewald's sums in units of the spacing: erfc(2 r) / r to r = 3, and waves shorter by up to three reciprocal
// vectors along each axis.
constexpr double splitting = 2;
constexpr int images = 3;

/// erfc(x) for x >= 2, by its continued fraction.
double erfc_of_large(double x)
{
    double fraction = x;
    for (int k = 60; k > 0; --k) fraction = x + 0.5 * k / fraction;
    return portable::exp(-x * x) / (std::sqrt(pi) * fraction);
}

/// A site at `offset`, in spacings, and the gradient of its attraction at the origin, without what the waves
/// have of it.
struct Neighbour {
    std::array<int, 3> offset;
    Matrix gradient;
};

Matrix near_gradient(const std::array<int, 3>& offset)
{
    const double r2 = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
    const double r = std::sqrt(r2), c2 = splitting * splitting;
    const double gauss = portable::exp(-c2 * r2) * 2 * splitting / std::sqrt(pi);
    const double b0 = erfc_of_large(splitting * r) / r;
    const double b1 = (b0 + gauss) / r2;
    const double b2 = (3 * b1 + 2 * c2 * gauss) / r2;
    Matrix m{};
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) m[a][b] = (a == b ? b1 : 0) - b2 * offset[a] * offset[b];
    return m;
}

std::vector<Neighbour> neighbours()
{
    std::vector<Neighbour> all;
    for (int x = -images; x <= images; ++x)
        for (int y = -images; y <= images; ++y)
            for (int z = -images; z <= images; ++z)
                if (const int r2 = x * x + y * y + z * z; r2 > 0 && r2 <= images * images)
                    all.push_back({{x, y, z}, near_gradient({x, y, z})});
    return all;
}

/// E(k) for wave numbers of a lattice of n sites along an axis.
class ForceMatrix {
public:
    explicit ForceMatrix(int n) : n_(n), near_(neighbours())
    {
        for (int i = 0; i < n; ++i) cosine_.push_back(portable::sin_cos_of_turns(double(i) / n).cos);
        at_rest_ = of_waves({0, 0, 0});
    }

    Matrix operator()(const std::array<int, 3>& wave) const
    {
        Matrix m = of_waves(wave);
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b) m[a][b] -= at_rest_[a][b];
        for (const Neighbour& one : near_) {
            int turns = 0;
            for (std::size_t a = 0; a < 3; ++a) turns += one.offset[a] * wave[a];
            const double difference =
                (cosine_[static_cast<std::size_t>((turns % n_ + n_) % n_)] - 1) / (4 * pi);
            for (std::size_t a = 0; a < 3; ++a)
                for (std::size_t b = 0; b < 3; ++b) m[a][b] += difference * one.gradient[a][b];
        }
        return m;
    }

private:
    /// The sum of K K^T / K^2 exp(-K^2 / (4 splitting^2)) over K = k + 2 pi integers.
    Matrix of_waves(const std::array<int, 3>& wave) const
    {
        constexpr int count = 2 * images + 1;
        double k[3][count], weight[3][count];
        for (std::size_t a = 0; a < 3; ++a)
            for (int i = 0; i < count; ++i) {
                k[a][i] = 2 * pi * (static_cast<double>(wave[a]) / n_ + (i - images));
                weight[a][i] = portable::exp(-k[a][i] * k[a][i] / (4 * splitting * splitting));
            }
        Matrix sum{};
        for (int x = 0; x < count; ++x)
            for (int y = 0; y < count; ++y)
                for (int z = 0; z < count; ++z) {
                    const double one[3] = {k[0][x], k[1][y], k[2][z]};
                    const double k2 = one[0] * one[0] + one[1] * one[1] + one[2] * one[2];
                    if (k2 == 0) continue;
                    const double w = weight[0][x] * weight[1][y] * weight[2][z] / k2;
                    for (std::size_t a = 0; a < 3; ++a)
                        for (std::size_t b = 0; b < 3; ++b) sum[a][b] += w * one[a] * one[b];
                }
        return sum;
    }

    int n_;
    std::vector<Neighbour> near_;
    std::vector<double> cosine_;
    Matrix at_rest_{};
};

Vec3 row(const Matrix& m, std::size_t i) { return {m[i][0], m[i][1], m[i][2]}; }

Vec3 times(const Matrix& m, Vec3 v) { return {dot(row(m, 0), v), dot(row(m, 1), v), dot(row(m, 2), v)}; }

/// Rayleigh's iteration from the wave's own direction. The adjugate stands for the inverse: it is finite at
/// the eigenvector, too.
LatticeWave nearest_eigenvector(const Matrix& m, Vec3 direction)
{
    Vec3 v = direction;
    for (int step = 0; step < 8; ++step) {
        Matrix rest = m;
        const double value = dot(v, times(m, v));
        for (std::size_t a = 0; a < 3; ++a) rest[a][a] -= value;
        const Vec3 x = row(rest, 0), y = row(rest, 1), z = row(rest, 2);
        const Vec3 w = v.x * cross(y, z) + v.y * cross(z, x) + v.z * cross(x, y);
        const double size = std::sqrt(dot(w, w));
        if (size < 1e-10) break;  // of equal eigenvalues any vector will do
        v = (dot(w, direction) < 0 ? -1 : 1) / size * w;
    }
    return {dot(v, times(m, v)), v};
}

/// Where the wave x >= y >= z >= 0 is kept.
std::size_t place_of(int x, int y, int z)
{
    const auto i = static_cast<std::size_t>(x), j = static_cast<std::size_t>(y);
    return i * (i + 1) * (i + 2) / 6 + j * (j + 1) / 2 + static_cast<std::size_t>(z);
}

}  // namespace

double LatticeWave::exponent() const { return (std::sqrt(1 + 24 * factor) - 1) / 4; }

LatticeGrowth::LatticeGrowth(int n)
{
    const int half = (n - 1) / 2;
    waves_.resize(place_of(half, half, half) + 1);
    waves_[0] = {1, {1, 0, 0}};
    const ForceMatrix matrix(n);
#pragma omp parallel for schedule(dynamic)
    for (int x = half; x > 0; --x)
        for (int y = 0; y <= x; ++y)
            for (int z = 0; z <= y; ++z) {
                const Vec3 k{double(x), double(y), double(z)};
                waves_[place_of(x, y, z)] =
                    nearest_eigenvector(matrix({x, y, z}), 1 / std::sqrt(dot(k, k)) * k);
            }
}

LatticeWave LatticeGrowth::operator()(const std::array<int, 3>& wave) const
{
    std::size_t axis[3] = {0, 1, 2};  // by falling length of the wave along them
    const auto order = [&](int i, int j) {
        if (std::abs(wave[axis[i]]) < std::abs(wave[axis[j]])) std::swap(axis[i], axis[j]);
    };
    order(0, 1);
    order(1, 2);
    order(0, 1);
    const LatticeWave& kept =
        waves_[place_of(std::abs(wave[axis[0]]), std::abs(wave[axis[1]]), std::abs(wave[axis[2]]))];
    const double components[3] = {kept.direction.x, kept.direction.y, kept.direction.z};
    double turned[3];
    for (int i = 0; i < 3; ++i) turned[axis[i]] = wave[axis[i]] < 0 ? -components[i] : components[i];
    return {kept.factor, {turned[0], turned[1], turned[2]}};
}

}  // namespace aureole::ics
