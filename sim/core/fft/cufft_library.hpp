// cuFFT by functions that are looked up when they are needed first: a program does not link it.
#pragma once

#include <cufft.h>

namespace aureole {

struct CufftLibrary {
    decltype(&cufftCreate) create;
    decltype(&cufftDestroy) destroy;
    decltype(&cufftSetAutoAllocation) set_auto_allocation;
    decltype(&cufftMakePlanMany64) make_plan;
    decltype(&cufftSetWorkArea) set_work_area;
    decltype(&cufftSetStream) set_stream;
    decltype(&cufftExecR2C) run_r2c;
    decltype(&cufftExecC2R) run_c2r;
    decltype(&cufftExecD2Z) run_d2z;
    decltype(&cufftExecZ2D) run_z2d;
};

/// Opened once per process: libcufft.so of the CUDA version that the program is built with, else of an
/// earlier one, where the system's linker looks or in /usr/local/cuda. Throws CudaError where none is found.
const CufftLibrary& cufft_library();

}  // namespace aureole
