#include <dlfcn.h>

#include <array>
#include <string>

#include "sim/core/error.hpp"
#include "sim/core/fft/cufft_library.hpp"
#include "sim/core/fft/plans.hpp"

namespace aureole {
namespace {

/// The interface that is used is the same in all of them.
constexpr std::array names{"libcufft.so.12",
                           "libcufft.so.11",
                           "libcufft.so.10",
                           "libcufft.so",
                           "/usr/local/cuda/lib64/libcufft.so.12",
                           "/usr/local/cuda/lib64/libcufft.so.11",
                           "/usr/local/cuda/lib64/libcufft.so"};

template <class Function>
void look_up(void* library, const char* name, Function& function)
{
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) throw CudaError(fmt::format("found a cuFFT library without {}", name));
}

CufftLibrary functions_of(void* library)
{
    CufftLibrary found{};
    look_up(library, "cufftCreate", found.create);
    look_up(library, "cufftDestroy", found.destroy);
    look_up(library, "cufftSetAutoAllocation", found.set_auto_allocation);
    look_up(library, "cufftMakePlanMany64", found.make_plan);
    look_up(library, "cufftSetWorkArea", found.set_work_area);
    look_up(library, "cufftSetStream", found.set_stream);
    look_up(library, "cufftExecR2C", found.run_r2c);
    look_up(library, "cufftExecC2R", found.run_c2r);
    look_up(library, "cufftExecD2Z", found.run_d2z);
    look_up(library, "cufftExecZ2D", found.run_z2d);
    return found;
}

}  // namespace

void* opened_cufft(std::span<const char* const> candidates)
{
    std::string tried;
    for (const char* const name : candidates) {
        if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
        tried += fmt::format("{}{}", tried.empty() ? "" : ", ", name);
    }
    throw CudaError(fmt::format(
        "transforms on a GPU need NVIDIA's cuFFT, and none of {} could be opened: install libcufft of "
        "the CUDA toolkit, name its folder in LD_LIBRARY_PATH, or compute on the CPU (--device cpu)",
        tried));
}

const CufftLibrary& cufft_library()
{
    static const CufftLibrary library = functions_of(opened_cufft(names));
    return library;
}

}  // namespace aureole
