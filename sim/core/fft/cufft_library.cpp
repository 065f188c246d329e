// Where NVIDIA's cuFFT is looked for when it is needed first. Nothing here needs a GPU or CUDA's headers.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/core/fft/plans.hpp"

namespace aureole {
namespace {

namespace fs = std::filesystem;

/// Of CUDA 13, 12 and 11. The interface that is used is the same in all of them.
constexpr std::array versions{"libcufft.so.12", "libcufft.so.11", "libcufft.so.10"};

/// The folder that the Python package lies in, of a file in it (_core.so) or in its folder bin; else nothing.
fs::path site_packages_of(const fs::path& own_file)
{
    for (fs::path folder : {own_file.parent_path(), own_file.parent_path().parent_path()})
        if (folder.filename() == "aureole" && fs::exists(folder / "__init__.py")) return folder.parent_path();
    return {};
}

/// nvidia/*/lib beside the package, sorted: pip's wheels put NVIDIA's libraries there.
std::vector<fs::path> folders_of_wheels(const fs::path& own_file)
{
    std::vector<fs::path> found;
    const fs::path site = site_packages_of(own_file);
    std::error_code missing;
    if (!site.empty())
        for (const auto& entry : fs::directory_iterator(site / "nvidia", missing))
            if (fs::is_directory(entry.path() / "lib", missing)) found.push_back(entry.path() / "lib");
    std::ranges::sort(found);
    return found;
}

/// The module or program that this code is part of.
fs::path own_file()
{
    Dl_info info{};
    const bool known = dladdr(reinterpret_cast<const void*>(&own_file), &info) != 0 && info.dli_fname;
    const fs::path name = known ? info.dli_fname : "";
    std::error_code failed;  // a program that was found by PATH has no path in its name
    return fs::canonical(name.is_absolute() ? name : fs::path("/proc/self/exe"), failed);
}

}  // namespace

std::vector<std::string> cufft_names(const fs::path& own)
{
    std::vector<std::string> names(versions.begin(), versions.end());
    names.push_back("libcufft.so");
    const std::vector<fs::path> folders = folders_of_wheels(own);
    for (const char* const version : versions)
        for (const fs::path& folder : folders)
            if (fs::exists(folder / version)) names.push_back(folder / version);
    for (const char* const name : {versions[0], versions[1], "libcufft.so"})
        names.push_back(fs::path("/usr/local/cuda/lib64") / name);
    return names;
}

void* opened_cufft(std::span<const std::string> names)
{
    std::string tried;
    for (const std::string& name : names) {
        if (void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
        tried += fmt::format("{}{}", tried.empty() ? "" : ", ", name);
    }
    throw CudaError(fmt::format(
        "transforms on a GPU need NVIDIA's cuFFT, and none of {} could be opened: install libcufft of "
        "the CUDA toolkit or, beside the Python package, pip install 'aureole[cuda]'; name its folder in "
        "LD_LIBRARY_PATH; or compute on the CPU (--device cpu)",
        tried));
}

void* opened_cufft() { return opened_cufft(cufft_names(own_file())); }

}  // namespace aureole
