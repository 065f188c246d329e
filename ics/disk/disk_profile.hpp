// Where the mass of a disk is. G = 1; all lengths in one unit.
#pragma once

#include "ics/density.hpp"
#include "ics/disk/disk_config.hpp"

namespace aureole::ics {

/// exp(x), and 0 where it would be smaller than anything beside it.
double decayed(double x);

/// h(z), whose integral over all z is 1.
class VerticalProfile {
public:
    VerticalProfile(VerticalShape shape, double height) : shape_(shape), height_(height) {}

    double height() const { return height_; }
    VerticalShape shape() const { return shape_; }
    double density(double z) const;            ///< h, z >= 0
    double slope(double z) const;              ///< dh/dz, z > 0
    double inside(double z) const;             ///< the part of the mass between -z and z
    double height_holding(double part) const;  ///< the inverse of inside(), 0 <= part < 1

    /// Beyond it h falls as exp(-decay z) to rounding; 1e-12 of the mass lies there.
    double edge() const { return shape_ == VerticalShape::sech2 ? 14 * height_ : 28 * height_; }
    double decay() const { return (shape_ == VerticalShape::sech2 ? 2 : 1) / height_; }

    /// I(k) = integral of h(z) exp(-k |z|) over all z, k > 0.
    double transform(double k) const;

private:
    VerticalShape shape_;
    double height_;
};

struct DiskProfile {
    double mass, scale_length;
    VerticalProfile vertical;

    double surface_density(double radius) const;
    double mass_within(double radius) const;  ///< of the cylinder
};

/// Of a component whose model is disk, and which names its profile.
DiskProfile disk_profile(const Component& component);

/// The mean of the disk's density over spheres about its centre. Its slopes are left at zero: a field needs
/// none.
std::unique_ptr<Density> disk_monopole(const DiskProfile& profile);

/// Radii for the table of its mass, from deep inside the disk to where nothing is left.
std::vector<double> disk_monopole_radii(const DiskProfile& profile);

}  // namespace aureole::ics
