// Ends of densities that have none of their own, or a mass without a formula.
#pragma once

#include "ics/density.hpp"

namespace aureole::ics {

/// `shape` up to tail_radius(), beyond it r^e exp(-r / truncation_width) with the e that keeps the slope
/// (Kazantzidis, Magorrian & Moore 2004); the component's mass lies inside.
std::unique_ptr<Density> with_tail(std::unique_ptr<Density> shape, const Component& component);

/// `shape` times exp(-(r / truncation_radius)^2), with the component's mass in total.
std::unique_ptr<Density> with_gaussian(std::unique_ptr<Density> shape, const Component& component);

/// `shape`, which falls by itself, with the component's mass in total.
std::unique_ptr<Density> with_total_mass(std::unique_ptr<Density> shape, const Component& component);

}  // namespace aureole::ics
