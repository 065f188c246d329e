// Direct summation, O(N^2). Exact up to rounding: the yardstick for the approximate solvers.
#pragma once

#include <memory>

#include "gravity/solver.hpp"

namespace aureole::gravity {

struct DirectScratch;

/// Self is excluded by index, never by distance: a coincident other body contributes its softened potential.
/// With zero softening such pairs are skipped. Open boxes only.
class Direct final : public Solver {
public:
    explicit Direct(const Config& config);
    ~Direct() override;

    void accelerate(Exec exec, const ParticlesView& particles, const ForceRequest& request) override;
    std::size_t scratch_bytes(Backend where, std::size_t n) const override;

private:
    Config config_;
    std::unique_ptr<DirectScratch> scratch_;
};

}  // namespace aureole::gravity
