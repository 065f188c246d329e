#include "sim/io/snapshots/snapshot_writer.hpp"

#include <algorithm>

#include "sim/io/snapshots/tipsy.hpp"

namespace aureole::io {
namespace {

std::filesystem::path with_ending(std::filesystem::path stem, std::string_view ending)
{
    return stem += ending;
}

class GadgetHdf5Writer final : public SnapshotWriter {
public:
    std::vector<std::filesystem::path> files(const std::filesystem::path& stem) const override
    {
        return {with_ending(stem, snapshot_names.ending)};
    }
    void write(const std::filesystem::path& stem, ConstParticlesView host,
               const SnapshotContent& content) const override
    {
        write_snapshot(files(stem).front(), host, content);
    }
};

class GadgetHdf5AndTipsyWriter final : public SnapshotWriter {
public:
    std::vector<std::filesystem::path> files(const std::filesystem::path& stem) const override
    {
        const TipsyFiles tipsy = tipsy_files(with_ending(stem, ".tipsy"));
        return {hdf5_.files(stem).front(), tipsy.snapshot, tipsy.ids, tipsy.parameters};
    }
    void write(const std::filesystem::path& stem, ConstParticlesView host,
               const SnapshotContent& content) const override
    {
        hdf5_.write(stem, host, content);
        write_tipsy(with_ending(stem, ".tipsy"), host, content);
    }

private:
    GadgetHdf5Writer hdf5_;
};

template <class Writer>
std::unique_ptr<SnapshotWriter> make()
{
    return std::make_unique<Writer>();
}

}  // namespace

Registry<SnapshotWriterPlugin>& snapshot_writers()
{
    static Registry<SnapshotWriterPlugin> table(
        "snapshot format", {{"hdf5", "HDF5 in Gadget's layout", make<GadgetHdf5Writer>},
                            {"hdf5+tipsy", "the same with a tipsy file, its ids and its units beside each",
                             make<GadgetHdf5AndTipsyWriter>}});
    return table;
}

std::vector<std::string> snapshot_endings()
{
    constexpr std::string_view stem = "stem";
    std::vector<std::string> endings;
    for (const SnapshotWriterPlugin& format : snapshot_writers().entries())
        for (const std::filesystem::path& file : format.make()->files(stem)) {
            const std::string ending = file.string().substr(stem.size());
            if (std::ranges::find(endings, ending) == endings.end()) endings.push_back(ending);
        }
    return endings;
}

}  // namespace aureole::io
