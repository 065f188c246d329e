// A folder that all ranks use, for tests that write files.
#pragma once

#include <optional>

#include "tests/mpi/ranks.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {

/// A folder of the first rank that all know.
class SharedFolder {
public:
    SharedFolder()
    {
        std::vector<std::byte> name;
        if (ranks().rank() == 0) {
            const std::string text = folder_.emplace().path().string();
            const auto bytes = std::as_bytes(std::span(text));
            name.assign(bytes.begin(), bytes.end());
        }
        ranks().broadcast_any(name, 0);
        path_ = std::string(reinterpret_cast<const char*>(name.data()), name.size());
    }
    ~SharedFolder() { ranks().barrier(); }
    SharedFolder(const SharedFolder&) = delete;
    SharedFolder& operator=(const SharedFolder&) = delete;

    /// Calls write(folder) on the first rank.
    template <class Write>
    void fill(Write write) const
    {
        if (ranks().rank() == 0) write(path_);
        ranks().barrier();
    }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

private:
    std::optional<TemporaryFolder> folder_;
    std::filesystem::path path_;
};

}  // namespace aureole::test
