// Bessel functions of the first kind from + - * / and portable functions alone: those of the C++ library
// differ between machines in their last bits.
#pragma once

namespace aureole::ics {

struct BesselPair {
    double j0, j1;
};

/// J0(x) and J1(x), 0 <= x <= 1e6, to 1e-14 absolute.
BesselPair bessel(double x);

}  // namespace aureole::ics
