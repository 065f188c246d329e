// Discrete sine transforms of the first kind in three dimensions, for functions that vanish at the walls of a
// box, by FFTW (Frigo & Johnson 2005). Cost n^3 log n.
#pragma once

#include <memory>
#include <span>

namespace aureole {

/// For cubes of n^3 values on the host, the last index running fastest. One instance may be used by many
/// threads at once.
class SineTransform {
public:
    explicit SineTransform(int n);
    ~SineTransform();
    SineTransform(const SineTransform&) = delete;
    SineTransform& operator=(const SineTransform&) = delete;

    int n() const { return n_; }

    /// X_abc = 8 sum_ijk x_ijk sin(pi (a+1)(i+1) / (n+1)) sin(...) sin(...), in place. Twice gives
    /// (2 (n+1))^3 times the input. Equal input gives equal bits.
    void apply(std::span<double> values) const;

private:
    struct Plan;
    int n_;
    std::unique_ptr<Plan> plan_;
};

}  // namespace aureole
