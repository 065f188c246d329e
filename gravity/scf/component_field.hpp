// One component of the expansion solver: its basis, its centre and the coefficients of its field over time.
#pragma once

#include "gravity/scf/membership.hpp"
#include "gravity/scf/smoothing.hpp"

namespace aureole::gravity::scf {

/// Between memories, without a new buffer.
void copy_elements(double* to, Backend to_where, const double* from, Backend from_where, std::size_t n);

/// The numbers of a kept state, one after another; throws IoError at their end.
class StateNumbers {
public:
    explicit StateNumbers(std::span<const double> numbers) : rest_(numbers) {}

    std::size_t left() const { return rest_.size(); }
    double next() { return take(1)[0]; }
    std::span<const double> take(std::size_t n);

    /// A number of elements, at most `most`.
    std::size_t count(std::size_t most);

private:
    std::span<const double> rest_;
};

/// Where the field of a component comes from at one evaluation.
struct FieldSource {
    Vec3 centre{};
    const Buffer<double>* coefficients = nullptr;
};

class ComponentField {
public:
    /// Throws ConfigError for a basis or settings that cannot work; `component` is its number, for messages.
    ComponentField(int component, const FieldConfig& config, Precision precision);

    int component() const { return component_; }
    const FieldConfig& config() const { return config_; }
    double mass() const { return membership_.mass; }
    Expansion& expansion() { return expansion_; }

    /// Settles centre and, where they are kept, coefficients. Without particles `membership.range` is empty.
    /// Throws ConfigError when coefficients are to be made of particles and there is none with mass.
    void start(Exec exec, const ConstParticlesView& particles, const Membership& membership, double time);

    /// The field of the present particles at `time`, recentred when that is due. Returns by how much the
    /// recentring changed 1/2 sum m phi over all particles.
    double update(Exec exec, const ConstParticlesView& particles, double time);
    FieldSource source() const { return {centre_, &coefficients_}; }

    /// The steps of update(): the field of the present particles about the present centre; whether a
    /// recentring is due at `time`; and one, which expands again.
    void make_present(Exec exec, const ConstParticlesView& particles, double time);
    bool recentring_is_due(double time) const;
    void recentre(Exec exec, const ConstParticlesView& particles, double time);

    /// Which particles a part of its pieces has, in the order of memory; all parts have all of it where its
    /// particles are contiguous.
    bool is_contiguous() const { return membership_.contiguous; }
    IndexRange run_of(Backend where, Slice slice) const;

    /// make_present() of particles of which this rank has a run alone: they lie in `own`.
    void make_present_by_runs(Exec exec, const ConstParticlesView& particles, IndexRange own,
                              const SharedPieces& shared, double time);

    /// Whether one of its particles is among `sources`, or all particles are.
    bool takes_part(IndexRange sources) const;

    /// The field from the members among `sources` alone, all of it where it is not made of present particles;
    /// update()'s state stays as it is.
    FieldSource partial(Exec exec, const ConstParticlesView& particles, IndexRange sources, double time);

    /// The field of no particle: zero everywhere.
    FieldSource none(Exec exec, const ConstParticlesView& particles);

    /// 1/2 sum m phi of the present field over all particles.
    double energy_of_all(Exec exec, const ConstParticlesView& particles);

    Coefficients coefficients(double time) const;

    /// What later evaluations and coefficients() need, and the way back after start() in another program.
    void append_state(std::vector<double>& state) const;
    void restore_state(StateNumbers& from);

    std::size_t scratch_bytes(Backend where, std::size_t n) const;

private:
    void expect_sound(const FieldConfig& config) const;
    void expand(Exec exec, const ConstParticlesView& particles, const Members& members, Buffer<double>& to);
    void play_back(double time, Vec3& centre, Buffer<double>& to) const;
    Vec3 found_centre(Exec exec, const ConstParticlesView& particles);

    int component_;
    FieldConfig config_;
    Expansion expansion_;
    Membership membership_;
    Index n_particles_ = 0;
    Vec3 centre_{};
    double next_recentring_ = 0;
    Buffer<double> coefficients_, partial_, samples_, potential_;
    Buffer<std::byte> sphere_scratch_;
    std::vector<double> host_samples_;
    Smoothed smoothed_;  ///< of the last expansion that was smoothed
    std::vector<double> variances_;
};

}  // namespace aureole::gravity::scf
