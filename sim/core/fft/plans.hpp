// What the libraries of transforms offer behind fft.hpp: fft_pocketfft.cpp or fft_fftw.cpp, of which CMake
// builds one, and fft_cuda.cpp with cufft_library.cpp.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim/core/fft/fft.hpp"

namespace aureole {

template <class Real>
class SinePlan {
public:
    SinePlan() = default;
    SinePlan(const SinePlan&) = delete;
    SinePlan& operator=(const SinePlan&) = delete;
    virtual ~SinePlan() = default;

    /// In place, as SineTransform::apply(), of interleaved grids.
    virtual void execute(CUstream_st* stream, Real* values, std::size_t n_grids) = 0;
};

template <class Real>
class RealPlan {
public:
    RealPlan() = default;
    RealPlan(const RealPlan&) = delete;
    RealPlan& operator=(const RealPlan&) = delete;
    virtual ~RealPlan() = default;

    /// As RealTransform::forward() and inverse().
    virtual void forward(CUstream_st* stream, const Real* values, std::complex<Real>* modes) = 0;
    virtual void inverse(CUstream_st* stream, std::complex<Real>* modes, Real* values) = 0;
    virtual std::size_t work_bytes() const { return 0; }
};

/// What makes the plans of a library.
template <class Real>
struct Plans {
    std::unique_ptr<SinePlan<Real>> (*sine)(const GridShape& shape);
    std::unique_ptr<RealPlan<Real>> (*real)(const GridShape& shape, std::size_t n_grids, bool padded);
};

template <template <class> class Sine, template <class> class Complex, class Real>
Plans<Real> plans_of()
{
    return {[](const GridShape& shape) -> std::unique_ptr<SinePlan<Real>> {
                return std::make_unique<Sine<Real>>(shape);
            },
            [](const GridShape& shape, std::size_t n_grids, bool padded) -> std::unique_ptr<RealPlan<Real>> {
                return std::make_unique<Complex<Real>>(shape, n_grids, padded);
            }};
}

template <class Real>
Plans<Real> host_plans();
template <class Real>
Plans<Real> cuda_plans();

/// Names and paths by which cuFFT is looked for, in order: where the system's linker looks; if the module or
/// program `own_file` is part of a Python package, the folders nvidia/*/lib beside that, which wheels of pip
/// fill; /usr/local/cuda. Newer versions first, of these paths those that are there.
std::vector<std::string> cufft_names(const std::filesystem::path& own_file);

/// The first of these libraries that can be opened. Throws CudaError that names them, as cuFFT's.
void* opened_cufft(std::span<const std::string> names);

/// The same by the names for the module or program that runs.
void* opened_cufft();

}  // namespace aureole
