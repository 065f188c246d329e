// Write a test once, run it with the kernels of every instruction set this machine has.
#pragma once

#include <gtest/gtest.h>
#include <omp.h>

#include <cstdlib>

#include "sim/core/simd/cpu_path.hpp"

namespace aureole::test {

/// Forces the kernels of one instruction set for the duration of a test, and restores the number of threads.
class OnEachCpuPath : public testing::TestWithParam<CpuPath> {
protected:
    void SetUp() override { setenv("AUREOLE_SIMD", name_of(GetParam()), 1); }
    void TearDown() override
    {
        unsetenv("AUREOLE_SIMD");
        omp_set_num_threads(threads_);
    }

private:
    int threads_ = omp_get_max_threads();
};

}  // namespace aureole::test
