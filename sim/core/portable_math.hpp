// Elementary functions from + - * / and sqrt alone, so that results are equal bit for bit on every machine:
// the C library picks other code paths per processor and changes its last bits between versions. Accurate to
// 2 ulp (sines of radians near a multiple of pi: to 1e-25 per half turn).
#pragma once

namespace aureole::portable {

struct SinCos {
    double sin, cos;
};

SinCos sin_cos(double radians);         ///< |radians| up to 1e6
SinCos sin_cos_of_turns(double turns);  ///< of 2 pi turns; exact at quarter turns; |turns| up to 1e9
double log(double x);                   ///< x positive, finite, not subnormal
double exp(double x);                   ///< |x| up to 700; 0 below
double cbrt(double x);                  ///< x zero or positive, finite, not subnormal

}  // namespace aureole::portable
