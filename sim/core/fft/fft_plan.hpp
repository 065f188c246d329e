// What the libraries of transforms offer behind fft.hpp: fft_pocketfft.cpp or fft_fftw.cpp, of which CMake
// builds one.
#pragma once

#include <memory>

#include "sim/core/fft/fft.hpp"

namespace aureole {

template <class Real>
class SinePlan {
public:
    explicit SinePlan(const GridShape& shape);
    ~SinePlan();

    /// In place, as SineTransform::apply().
    void execute(Real* values) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace aureole
