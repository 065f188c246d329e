// Gravity of a periodic box in O(N log N): a mesh for long waves, the tree for what is near.
#pragma once

#include <memory>
#include <optional>

#include "gravity/sliced_solver.hpp"
#include "gravity/solver_config.hpp"
#include "sim/core/settings.hpp"

namespace aureole::gravity::treepm {

/// The settings below `gravity.treepm.`; 0: chosen by force_accuracy.
struct Config {
    double force_accuracy = 1e-3;    ///< alpha: 99 % of the relative errors are at most this
    int mesh = 0;                    ///< points along an axis; 0: two for each particle
    double split = 0;                ///< r_s in cells of the mesh
    double cut = 0;                  ///< r_cut in r_s
    std::optional<bool> interlaced;  ///< on a GPU; not given: where it costs little, and below 3e-4
    bool conserve_momentum = true;
};

PluginSettings settings();

/// The mesh, r_s and r_cut of `n` particles in a box.
struct Split {
    int mesh;
    double split, cut;  ///< lengths
    bool interlaced;    ///< on a GPU

    bool operator==(const Split&) const = default;
};
/// Throws ConfigError where the box is too small for the cut.
Split split_for(const Config& config, std::size_t n, double side, Backend where);

struct TreePmState;

/// All particles of a preparation may be targets. Pairs have the precision of the configuration, and so has
/// the mesh on a GPU; on a CPU it is in double and the split compact. Equal input gives equal bits on one
/// backend and, on a CPU, one instruction set, for any number of threads. Throws CudaError where a GPU has no
/// cuFFT.
class TreePm final : public SlicedSolver {
public:
    explicit TreePm(const gravity::Config& config);
    ~TreePm() override;

    void prepare(Exec exec, const ConstParticlesView& particles, const SourceRequest& request,
                 const TargetRequest& expected) override;
    void evaluate_slice(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                        Slice slice, const ForceOutputs& outputs) override;
    void finish(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                const ForceOutputs& outputs) override;
    std::size_t scratch_bytes(Backend where, std::size_t n) const override;
    EnergyTerms energy_terms() const override { return {}; }
    std::vector<double> kept_state() const override { return {}; }
    void restore_state(Exec, const ConstParticlesView&, std::span<const double> state) override
    {
        expect_no_state(state);
    }

private:
    void expect_treatable(const Box& box) const;
    void prepare_mesh(Exec exec, const ConstParticlesView& particles);

    gravity::Config config_;
    Config own_;
    std::unique_ptr<TreePmState> state_;
};

}  // namespace aureole::gravity::treepm
