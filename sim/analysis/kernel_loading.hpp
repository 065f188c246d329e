// A GPU loads each kernel when it is launched for the first time in a process, which takes longer than many
// of them run. While a large file is read, another thread searches a small sample, so that the kernels are
// there when the particles of the file come.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>

#include "sim/analysis/halo_catalogue.hpp"

namespace aureole::run {

/// The catalogue of a sample of 2^18 particles at fixed places in a box of side 1, periodic or in open space,
/// with groups of 20 to 10^5 members: all sizes for which GPUs have kernels of their own. Groups are linked
/// and measured as `halos` says, with lengths, velocities and densities that suit the sample. Without
/// `catalogue` labels alone are found, and the table is empty. Throws as the searches do, and Stopped.
HaloCatalogue catalogue_of_sample(Exec exec, const HalosConfig& halos, bool periodic, bool catalogue,
                                  const Progress& progress = {});

/// Whether a snapshot has at least so many bytes, by default what takes longer to read than kernels to load:
/// the file, or all of its files where it has several, whose names differ in a number (NAME.0, NAME.1.hdf5).
/// False for what is not there.
bool takes_long_to_read(const std::filesystem::path& snapshot,
                        std::uintmax_t least = std::uintmax_t{1} << 27);

/// Loads the kernels of a search and its catalogue on a thread of its own, with the device that the caller
/// has selected: first those for a periodic box, then what open space needs beside them. On a CPU there is
/// nothing to load. Errors are dropped: a search that meets them as well reports them. Its memory has been
/// given back at the end.
class KernelLoading {
public:
    /// Searches a sample.
    using Search = std::function<void(bool periodic, const Progress& progress)>;

    KernelLoading(Exec exec, const HalosConfig& halos, bool catalogue);
    /// The same with any search, on any backend.
    explicit KernelLoading(const Search& search) { begin(search); }
    /// Stops between two steps of the search, some milliseconds later.
    ~KernelLoading();
    KernelLoading(const KernelLoading&) = delete;
    KernelLoading& operator=(const KernelLoading&) = delete;

    /// Waits until the kernels for such a space are loaded, and stops as the end does.
    void finish(bool periodic);

private:
    void begin(const Search& search);

    std::atomic<bool> stops_{false};
    std::atomic<int> n_searched_{0};  ///< samples, those that will not be among them
    std::future<void> work_;          ///< of the other thread, if there is one
};

}  // namespace aureole::run
