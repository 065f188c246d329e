// Potentials in closed form, G = 1, in the coordinates of the field: its centre is the origin and a bar lies
// along x. Each is a function of three numbers that carry derivatives (derivatives.hpp). Host and device.
#pragma once

#include <variant>

#include "gravity/external/derivatives.hpp"

namespace aureole::gravity {

/// -M ln(1 + r / r_s) / r, M = 4 pi rho_0 r_s^3 (Navarro, Frenk & White 1996).
struct NfwPotential {
    double mass, scale_radius;

    template <class T>
    AUREOLE_HD T operator()(T x, T y, T z) const
    {
        const T u = T(1 / scale_radius) * root(x * x + y * y + z * z);
        return T(-mass / scale_radius) * log_one_plus_over(u);
    }
};

/// -M / (r + a) (Hernquist 1990).
struct HernquistPotential {
    double mass, scale_radius;

    template <class T>
    AUREOLE_HD T operator()(T x, T y, T z) const
    {
        return T(-mass) / (root(x * x + y * y + z * z) + T(scale_radius));
    }
};

/// -M / sqrt(r^2 + b^2) (Plummer 1911).
struct PlummerPotential {
    double mass, scale_radius;

    template <class T>
    AUREOLE_HD T operator()(T x, T y, T z) const
    {
        return T(-mass) / root(x * x + y * y + z * z + T(scale_radius * scale_radius));
    }
};

/// -M / (b + sqrt(r^2 + b^2)) (Henon 1959).
struct IsochronePotential {
    double mass, scale_radius;

    template <class T>
    AUREOLE_HD T operator()(T x, T y, T z) const
    {
        return T(-mass) / (T(scale_radius) + root(x * x + y * y + z * z + T(scale_radius * scale_radius)));
    }
};

/// v^2 / 2 ln(R_c^2 + x^2 + y^2 / p^2 + z^2 / q^2) (Binney & Tremaine 2008, eq. 2.71).
struct LogarithmicPotential {
    double velocity, core_radius, axis_ratio, flattening;

    template <class T>
    AUREOLE_HD T operator()(T x, T y, T z) const
    {
        const T stretched_y = T(1 / axis_ratio) * y, stretched_z = T(1 / flattening) * z;
        const T squares =
            T(core_radius * core_radius) + x * x + stretched_y * stretched_y + stretched_z * stretched_z;
        if (!(squares.value > 0)) return T(0.0);  // the singular centre of a field without a core
        return T(velocity * velocity / 2) * logarithm(squares);
    }
};

/// -M / sqrt(R^2 + (a + sqrt(z^2 + b^2))^2) (Miyamoto & Nagai 1975).
struct MiyamotoNagaiPotential {
    double mass, scale_length, scale_height;

    template <class T>
    AUREOLE_HD T operator()(T x, T y, T z) const
    {
        const T height = T(scale_length) + root(z * z + T(scale_height * scale_height));
        return T(-mass) / root(x * x + y * y + height * height);
    }
};

/// An exponential disk as three Miyamoto-Nagai disks (Smith et al. 2015).
struct ExponentialDiskPotential {
    MiyamotoNagaiPotential disks[3];

    template <class T>
    AUREOLE_HD T operator()(T x, T y, T z) const
    {
        return disks[0](x, y, z) + disks[1](x, y, z) + disks[2](x, y, z);
    }
};

/// A needle of half length a along x, thickened by b and c (Long & Murali 1992). With T+ and T- the distances
/// from its ends it is M / (2 a) ln((T+ + T- - 2 a) / (T+ + T- + 2 a)); the numerator is written as a sum of
/// positive terms, so that nothing cancels near the axis.
struct LongMuraliPotential {
    double mass, half_length, b, c;

    template <class T>
    AUREOLE_HD T operator()(T x, T y, T z) const
    {
        const T height = T(b) + root(z * z + T(c * c));
        const T beside = y * y + height * height;  // squared distance from the axis
        const T to_far = magnitude(x) + T(half_length), to_near = magnitude(x) - T(half_length);
        const T far = root(to_far * to_far + beside), near = root(to_near * to_near + beside);
        T excess = beside / (far + to_far) + beside / (near + magnitude(to_near));
        if (to_near.value > 0) excess = excess + T(2.0) * to_near;
        return T(-mass / (2 * half_length)) * log_one_plus(T(4 * half_length) / excess);
    }
};

/// A quadrupole A cos 2 phi (R / r)^2 U(r) with U = (r / R_b)^3 - 2 inside R_b and -(R_b / r)^3 outside
/// (Dehnen 2000).
struct DehnenBarPotential {
    double strength, radius;

    template <class T>
    AUREOLE_HD T operator()(T x, T y, T z) const
    {
        const T r2 = x * x + y * y + z * z;
        if (!(r2.value > 0)) return T(0.0);  // the direction has no limit at the centre
        const T u = T(1 / radius) * root(r2);
        const T cube = u * u * u;
        const T profile = u.value <= 1 ? cube - T(2.0) : T(-1.0) / cube;
        return T(strength) * (x * x - y * y) / r2 * profile;
    }
};

/// Logarithmic spiral arms (Cox & Gomez 2002). `sense` is their sign: 1 trails for rotation towards +phi.
struct SpiralArmsPotential {
    double arms, pitch, reference_radius, scale_length, scale_height, density, sense;
    int harmonics;  ///< 1: a sinusoid; 3: arms that are narrower than the gaps

    template <class T>
    AUREOLE_HD T operator()(T x, T y, T z) const
    {
        constexpr double pi = 3.14159265358979323846;
        const T r2 = x * x + y * y;
        if (!(r2.value > 0)) return T(0.0);  // on the axis arms have no width
        const T radius = root(r2);
        const T winding =
            T(arms * sense / tan_pitch()) * logarithm(T(1 / reference_radius) * radius);  // of the phase
        T wave_cos = T(1.0), wave_sin = T(0.0);
        const T turn_cos = x / radius, turn_sin = y / radius;
        for (int k = 0; k < static_cast<int>(arms); ++k) rotate(wave_cos, wave_sin, turn_cos, turn_sin);
        const double wc = std::cos(winding.value), ws = std::sin(winding.value);
        rotate(wave_cos, wave_sin, winding.through(wc, -ws, -wc), winding.through(ws, wc, -ws));
        T sum = T(0.0), cos_n = T(1.0), sin_n = T(0.0);
        for (int n = 1; n <= harmonics; ++n) {
            rotate(cos_n, sin_n, wave_cos, wave_sin);
            const T wave_number = T(n * arms / std::sin(pitch)) / radius;
            const T kh = T(scale_height) * wave_number;
            const T beta = kh * (T(1.0) + T(0.4) * kh);
            const T damping = (T(1.0) + kh + T(0.3) * kh * kh) / (T(1.0) + T(0.3) * kh);
            const T layer = exponential(T(-1.0) * beta * log_cosh(wave_number * z / beta));
            const double share = harmonics == 1 ? 1.0 : n == 1 ? 8 / (3 * pi) : n == 2 ? 0.5 : 8 / (15 * pi);
            sum = sum + T(share) * cos_n * layer / (wave_number * damping);
        }
        const T fade = exponential(T(-1 / scale_length) * (radius - T(reference_radius)));
        return T(-4 * pi * scale_height * density) * fade * sum;
    }

private:
    AUREOLE_HD double tan_pitch() const { return std::tan(pitch); }

    /// (cos, sin) of the sum of two angles.
    template <class T>
    AUREOLE_HD static void rotate(T& cosine, T& sine, T by_cosine, T by_sine)
    {
        const T turned = cosine * by_cosine - sine * by_sine;
        sine = sine * by_cosine + cosine * by_sine;
        cosine = turned;
    }
};

/// -a.x - x.T x / 2: a uniform field and a tide, each a_i = T_ij x_j.
struct TidalPotential {
    Vec3 uniform;
    double xx, yy, zz, xy, xz, yz;

    template <class T>
    AUREOLE_HD T operator()(T x, T y, T z) const
    {
        const T linear = T(uniform.x) * x + T(uniform.y) * y + T(uniform.z) * z;
        const T squares = T(xx) * x * x + T(yy) * y * y + T(zz) * z * z;
        const T mixed = T(xy) * x * y + T(xz) * x * z + T(yz) * y * z;
        return T(-1.0) * linear - T(0.5) * squares - mixed;
    }
};

using FieldPotential =
    std::variant<NfwPotential, HernquistPotential, PlummerPotential, IsochronePotential, LogarithmicPotential,
                 MiyamotoNagaiPotential, ExponentialDiskPotential, LongMuraliPotential, DehnenBarPotential,
                 SpiralArmsPotential, TidalPotential>;

/// Potential and its gradient.
template <class P>
AUREOLE_HD Gradient gradient_of(const P& potential, Vec3 at)
{
    return potential(Gradient(at.x, {1, 0, 0}), Gradient(at.y, {0, 1, 0}), Gradient(at.z, {0, 0, 1}));
}

/// The density that makes the potential: its Laplacian / (4 pi).
template <class P>
AUREOLE_HD double density_of(const P& potential, Vec3 at)
{
    constexpr double four_pi = 4 * 3.14159265358979323846;
    const Taylor x(at.x), y(at.y), z(at.z);
    return (potential(Taylor(at.x, 1, 0), y, z).second + potential(x, Taylor(at.y, 1, 0), z).second +
            potential(x, y, Taylor(at.z, 1, 0)).second) /
           four_pi;
}

}  // namespace aureole::gravity
