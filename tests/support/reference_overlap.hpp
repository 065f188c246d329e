// The overlap of a tetrahedron with a cell by another way than the program's: the faces of the solid are
// polygons, clipped one plane at a time in long double; each cut is closed by a face whose corners are put in
// order by angle; volume and first moments are sums of the tetrahedra between the faces and a point inside.
// Slow, and for tetrahedra with volume only.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "density/sheet/tessellation.hpp"

namespace aureole::test {

using Real = long double;
using Point = std::array<Real, 3>;
using Polygon = std::vector<Point>;

struct SolidMoments {
    Real volume = 0;
    Point first{};  ///< integral of the position
};

inline Point difference(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

inline Real determinant(const Point& a, const Point& b, const Point& c)
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/// Corners of one closing face, in order around their mean; `axis` is across it.
inline void put_in_order(Polygon& face, std::size_t axis)
{
    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    Point mean{};
    for (const Point& p : face)
        for (std::size_t k = 0; k < 3; ++k) mean[k] += p[k] / static_cast<Real>(face.size());
    std::ranges::sort(face, {}, [&](const Point& p) { return std::atan2(p[v] - mean[v], p[u] - mean[u]); });
}

/// What of a convex solid has sign * (x[axis] - plane) <= 0.
inline std::vector<Polygon> clipped(const std::vector<Polygon>& solid, std::size_t axis, Real plane,
                                    Real sign)
{
    std::vector<Polygon> result;
    Polygon closing;
    for (const Polygon& face : solid) {
        Polygon kept;
        std::size_t on_plane = 0;
        for (std::size_t k = 0; k < face.size(); ++k) {
            const Point &a = face[k], &b = face[(k + 1) % face.size()];
            const Real da = sign * (a[axis] - plane), db = sign * (b[axis] - plane);
            if (da <= 0) kept.push_back(a);
            if ((da < 0 && db > 0) || (da > 0 && db < 0)) {
                Point cut;
                for (std::size_t i = 0; i < 3; ++i) cut[i] = a[i] + da / (da - db) * (b[i] - a[i]);
                cut[axis] = plane;
                kept.push_back(cut);
                closing.push_back(cut);
            }
            if (da == 0) closing.push_back(a);
            on_plane += da == 0;
        }
        // a face in the plane is the closing one
        if (kept.size() > 2 && on_plane < face.size()) result.push_back(kept);
    }
    if (closing.size() > 2) {
        put_in_order(closing, axis);
        result.push_back(closing);
    }
    return result;
}

inline SolidMoments moments_of(const std::vector<Polygon>& solid)
{
    SolidMoments result;
    Point inside{};
    Real n = 0;
    for (const Polygon& face : solid)
        for (const Point& p : face) {
            for (std::size_t k = 0; k < 3; ++k) inside[k] += p[k];
            n += 1;
        }
    if (n == 0) return result;
    for (Real& x : inside) x /= n;
    for (const Polygon& face : solid)
        for (std::size_t k = 2; k < face.size(); ++k) {
            const Real volume =
                std::abs(determinant(difference(face[0], inside), difference(face[k - 1], inside),
                                     difference(face[k], inside))) /
                6;
            result.volume += volume;
            for (std::size_t i = 0; i < 3; ++i)
                result.first[i] += volume * (inside[i] + face[0][i] + face[k - 1][i] + face[k][i]) / 4;
        }
    return result;
}

inline std::vector<Polygon> faces_of(const density::Tetrahedron& t)
{
    std::array<Point, 4> p;
    for (std::size_t c = 0; c < 4; ++c) p[c] = {t.corner[c].x, t.corner[c].y, t.corner[c].z};
    return {{p[0], p[1], p[2]}, {p[0], p[1], p[3]}, {p[0], p[2], p[3]}, {p[1], p[2], p[3]}};
}

/// Of the tetrahedron within the unit cell whose lowest corner is (i, j, k).
inline SolidMoments reference_overlap(const density::Tetrahedron& t, std::array<std::int64_t, 3> cell)
{
    std::vector<Polygon> solid = faces_of(t);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Real low = static_cast<Real>(cell[axis]);
        solid = clipped(clipped(solid, axis, low, -1), axis, low + 1, 1);
    }
    return moments_of(solid);
}

}  // namespace aureole::test
