// A split of gravity whose short range ends. Every point mass has a cloud around it that ends at the cut; the
// mesh has the field of the clouds, which beyond the cut is that of the points, and pairs within the cut have
// the rest, so that nothing is dropped there. The cloud is the window of Kaiser & Schafer (1980),
//     rho(r) ~ I_0(beta sqrt(1 - r^2 / cut^2)),
// whose modes beyond beta / cut are a few exp(-beta): for the same largest wave number its cut is about three
// quarters of that of a Gaussian cloud whose error at the cut is 1e-3.
#pragma once

namespace aureole::gravity {

class CompactSplit {
public:
    CompactSplit() = default;
    /// `scale` is the r_s of the Gaussian cloud that has about the same modes where they are large,
    /// exp(-k^2 r_s^2); beta = (cut / scale)^2 / 2. Throws ArgumentError unless 0 < scale < cut < 8 scale.
    CompactSplit(double scale, double cut);

    double cut() const { return cut_; }
    double beta() const { return beta_; }

    /// The mode k of a cloud of unit mass, 1 for k = 0, and how it starts there: 1 - curvature() k^2.
    double mode(double k) const;
    double curvature() const;

    /// What the cloud of a unit mass does at the distance r from its middle, up to somewhat beyond the cut:
    /// the acceleration over r, and the depth of its potential. Both are entire functions of r^2.
    double force(double r2) const;
    double potential(double r2) const;

private:
    double cut_ = 0, beta_ = 0, norm_ = 1;  ///< norm_: the volume integral of the window, over 4 pi cut^3
};

}  // namespace aureole::gravity
