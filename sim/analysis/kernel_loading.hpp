// A GPU loads each kernel when it is launched for the first time in a process, which takes longer than many
// of them run. While a large file is read, another thread searches a small sample, so that the kernels are
// there when the particles of the file come.
#pragma once

#include <atomic>
#include <future>

#include "sim/analysis/halo_catalogue.hpp"

namespace aureole::run {

/// The catalogue of a sample of 2^18 particles at fixed places in a box of side 1, periodic or in open space,
/// with groups of 20 to 10^5 members: all sizes for which GPUs have kernels of their own. Groups are linked
/// and measured as `halos` says, with lengths, velocities and densities that suit the sample. Without
/// `catalogue` labels alone are found, and the table is empty. Throws as the searches do, and Stopped.
HaloCatalogue catalogue_of_sample(Exec exec, const HalosConfig& halos, bool periodic, bool catalogue,
                                  const Progress& progress = {});

/// Loads the kernels of a search and its catalogue on a thread of its own, with the device that the caller
/// has selected. On a CPU there is nothing to load. Errors are dropped: a search that meets them as well
/// reports them. Its memory has been given back at the end.
class KernelLoading {
public:
    KernelLoading(Exec exec, const HalosConfig& halos, bool catalogue);
    /// Stops between two steps of the search, some milliseconds later.
    ~KernelLoading();
    KernelLoading(const KernelLoading&) = delete;
    KernelLoading& operator=(const KernelLoading&) = delete;

    /// Waits until all are loaded.
    void finish();

private:
    std::atomic<bool> stops_{false};
    std::future<void> work_;  ///< of the other thread, if there is one
};

}  // namespace aureole::run
