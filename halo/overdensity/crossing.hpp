// Where the sphere of an overdensity ends: the definition. A file of its own, because files that nvcc
// compiles and the configuration include it.
//
// M(r) is the mass of all particles at distances up to and with r from the centre; particles at one distance
// enter together. A particle's distance r *reaches* the density rho when M(r) >= 4 pi / 3 rho r^3.
//
// The *outermost crossing* lies behind the largest distance that reaches rho, as SUBFIND (Springel et al.
// 2001) and Rockstar (Behroozi et al. 2013) take it. The *innermost crossing* lies in the first gap, going
// outward from the nearest particle, in which the mean density falls below rho. Few particles leave such gaps
// by chance, so that halos of 20 members become 5 to 20 % too light.
//
// Distances are looked at up to half of the side of a periodic box, in open space up to the farthest
// particle. A sphere never holds more than all mass, so none about any centre is wider than (3 M_all / 4 pi
// rho)^(1/3).
#pragma once

namespace aureole::halo {

/// Which crossing of the density ends a sphere.
enum class Crossing { outermost, innermost };

}  // namespace aureole::halo
