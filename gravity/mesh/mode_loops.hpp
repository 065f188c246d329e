// Loops over the modes of a periodic cube, [n][n][n / 2 + 1] as RealTransform has them, on either backend.
#pragma once

#include <complex>

#include "sim/core/mesh/assignment.hpp"

namespace aureole::gravity {

/// The wave number of index i of n along an axis: from n / 2 on negative.
AUREOLE_HD inline int wave_number(int i, int n) { return 2 * i < n ? i : i - n; }

/// Of index i along an axis, where loops run; n entries each.
struct ModeTables {
    int n;
    const double* wave;                 ///< k_i
    const double* factor;               ///< the potential's part that belongs to the axis
    const std::complex<double>* phase;  ///< exp(i k_i h / 2), h the spacing
    const double* cloud = nullptr;      ///< a factor by squared wave number, in waves along the box; null: 1
    int n_squares = 0;                  ///< of `cloud`; from there on the factor is 0
};

/// first = (first + exp(-i k.h / 2) shifted) / 2: the modes of two meshes half a cell apart (Hockney &
/// Eastwood 1988, section 7-7). Modes of n / 2 along any axis become zero.
template <class Real>
void merge_interlaced(Exec exec, const ModeTables& tables, const std::complex<Real>* shifted,
                      std::complex<Real>* first);

/// Masses to the potential: times -scale factor_i factor_j factor_l cloud / k^2, and times `constant` for k =
/// 0.
template <class Real>
void make_potential(Exec exec, const ModeTables& tables, double scale, double constant,
                    std::complex<Real>* modes);

/// to = -i k_axis potential, of axis 0 to 2, or the potential itself (axis 3), on a mesh that is shifted by
/// half a cell or is not. A derivative at wave number n / 2 is zero.
template <class Real>
void derive(Exec exec, const ModeTables& tables, int axis, bool shifted, const std::complex<Real>* potential,
            std::complex<Real>* to);

/// Adds `depth` times their masses to the potentials of the targets: what they have of themselves.
void remove_own(Exec exec, const mesh::Targets& targets, const double* mass, double depth, double* potential);

}  // namespace aureole::gravity
