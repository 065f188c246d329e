// The interface of fields that the particles do not make.
#pragma once

#include <optional>

#include "gravity/force_request.hpp"
#include "sim/core/numerics/kepler_orbit.hpp"

namespace aureole::gravity {

/// An implementation or a decorator has to define every function; FieldWithoutPotential does it for fields
/// that have none.
class ExternalField {
public:
    virtual ~ExternalField() = default;

    /// Adds the field at `time` to `acceleration` (entry i of particle i) of the targets. Equal input gives
    /// equal bits on one backend.
    virtual void add_acceleration(Exec exec, const ConstParticlesView& particles, const Selection& targets,
                                  double time, const Vec3View& acceleration) = 0;

    /// Adds the potential per unit mass at `time` to entry i of `potential` of each target i. A field without
    /// one adds nothing.
    virtual void add_potential(Exec exec, const ConstParticlesView& particles, const Selection& targets,
                               double time, double* potential) = 0;

    /// sum m Phi_ext over all particles; 0 of a field without a potential. As power().
    virtual double energy(Exec exec, const ConstParticlesView& particles, double time) = 0;

    /// By what the energy of the particles, with that in the field, changes per unit time: sum m dPhi/dt at
    /// fixed places, or sum m v.a_ext of a field without a potential. Sums run in double, in an order that
    /// depends on the number of particles only. Waits for the result.
    virtual double power(Exec exec, const ConstParticlesView& particles, double time) = 0;

    /// Whether power() is ever anything but 0.
    virtual bool works() const = 0;

    /// Bytes of scratch kept on the backend of `n` particles.
    virtual std::size_t scratch_bytes(std::size_t n) const = 0;

    /// The body that makes the field, in the coordinates of the particles; nothing where there is none.
    virtual std::optional<PhaseSpacePoint> body(double time) const = 0;
};

/// The base of fields without a potential: all that they do to the energy of the particles is in power().
class FieldWithoutPotential : public ExternalField {
public:
    void add_potential(Exec, const ConstParticlesView&, const Selection&, double, double*) final {}
    double energy(Exec, const ConstParticlesView&, double) final { return 0; }
    bool works() const final { return true; }
};

}  // namespace aureole::gravity
