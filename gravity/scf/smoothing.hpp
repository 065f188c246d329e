// Hall smoothing of expansion coefficients (Weinberg 1996): noise is recognised by how much the coefficients
// of sub-samples differ, and what is mostly noise is made small.
//
// For each angular function the coefficients over n are a vector c; the sub-samples give its covariance. In
// the frame of the covariance's eigenvectors the components are independent, and each is multiplied by
// 1 / (1 + (snr b)^power), b = variance / c^2; then the vector is rotated back. Cost O(l_max^2 n_max^3).
#pragma once

#include <string>
#include <vector>

#include "gravity/scf/scf_config.hpp"

namespace aureole::gravity::scf {

/// Sub-samples are dealt out in pieces of neighbours in memory, of which there are so many.
inline constexpr int most_samples = 64;

/// Throws ConfigError: the samples must outnumber the n_max + 1 coefficients of a vector, else some
/// directions have no variance. `what` names the owner.
void check_smoothing(const Smoothing& smoothing, const Basis& basis, const std::string& what);

struct Smoothed {
    std::vector<double> values, variances;  ///< of the sum of all samples, after and before smoothing
};

/// `samples` holds smoothing.samples sets of coefficients, one after another.
void smooth(const Basis& basis, const Smoothing& smoothing, const std::vector<double>& samples,
            Smoothed& result);

/// Eigenvectors of the symmetric n x n matrix, row by row, by cyclic Jacobi rotations (Golub & Van Loan 1996,
/// section 8.4); on return the matrix is diagonal to rounding.
std::vector<double> diagonalise(std::vector<double>& matrix, std::size_t n);

}  // namespace aureole::gravity::scf
