#include "sim/io/snapshots/snapshot_format.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.hpp"
#include "sim/io/list_text.hpp"
#include "sim/io/snapshots/gadget_binary.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/io/snapshots/text_table.hpp"
#include "sim/io/snapshots/tipsy.hpp"

namespace aureole::io {
namespace {

namespace fs = std::filesystem;

class GadgetHdf5Writer final : public SingleFileWriter {
public:
    void write(const fs::path& file, ConstParticlesView host, const SnapshotContent& content) const override
    {
        write_snapshot(file, host, with_exponents(content, -1, 0.5));
    }
    std::vector<std::string> losses(ConstParticlesView, const SnapshotContent&) const override { return {}; }
};

class SwiftWriter final : public SingleFileWriter {
public:
    void write(const fs::path& file, ConstParticlesView host, const SnapshotContent& content) const override
    {
        write_swift_snapshot(file, host, content);
    }
    std::vector<std::string> losses(ConstParticlesView, const SnapshotContent&) const override { return {}; }
};

template <std::endian order>
class TipsyWriter final : public SnapshotWriter {
public:
    std::vector<fs::path> files(const fs::path& file) const override
    {
        const TipsyFiles all = tipsy_files(file);
        return {all.snapshot, all.ids, all.parameters};
    }
    void write(const fs::path& file, ConstParticlesView host, const SnapshotContent& content) const override
    {
        write_tipsy(file, host, content, order);
    }
    std::vector<std::string> losses(ConstParticlesView host, const SnapshotContent& content) const override
    {
        return tipsy_losses(host, content);
    }
};

class GadgetHdf5AndTipsyWriter final : public SnapshotWriter {
public:
    std::vector<fs::path> files(const fs::path& file) const override
    {
        std::vector<fs::path> all = tipsy_.files(tipsy(file));
        all.insert(all.begin(), file);
        return all;
    }
    void write(const fs::path& file, ConstParticlesView host, const SnapshotContent& content) const override
    {
        if (tipsy(file) == file)
            throw IoError(fmt::format(
                "{}: the ending .tipsy is that of the tipsy file beside it, expected another name",
                file.string()));
        hdf5_.write(file, host, content);
        tipsy_.write(tipsy(file), host, content);
    }

    /// What the tipsy file lacks is in the HDF5 file.
    std::vector<std::string> losses(ConstParticlesView host, const SnapshotContent& content) const override
    {
        return hdf5_.losses(host, content);
    }

private:
    static fs::path tipsy(fs::path file) { return file.replace_extension(".tipsy"); }

    GadgetHdf5Writer hdf5_;
    TipsyWriter<std::endian::big> tipsy_;
};

template <int format>
class GadgetBinaryWriter final : public SnapshotWriter {
public:
    std::vector<fs::path> files(const fs::path& file) const override { return {file, metadata_name(file)}; }
    void write(const fs::path& file, ConstParticlesView host, const SnapshotContent& content) const override
    {
        write_gadget_binary(file, host, content, format);
    }
    std::vector<std::string> losses(ConstParticlesView host, const SnapshotContent& content) const override
    {
        return gadget_binary_losses(host, content);
    }
};

class TextTableWriter final : public SingleFileWriter {
public:
    void write(const fs::path& file, ConstParticlesView host, const SnapshotContent& content) const override
    {
        write_text_table(file, host, content);
    }
    std::vector<std::string> losses(ConstParticlesView host, const SnapshotContent&) const override
    {
        if (!has_several_components(host)) return {};
        return {"A text table does not hold the components of the particles."};
    }
};

template <class Writer>
std::unique_ptr<SnapshotWriter> make()
{
    return std::make_unique<Writer>();
}

/// A header of tipsy and one of Gadget are both a few small integers. A tipsy file is certain only when its
/// size agrees with its header, so a damaged one comes after Gadget's binary files.
Recognition recognise_tipsy(const fs::path& file)
{
    if (is_tipsy(file)) return Recognition::certain;
    return has_tipsy_header(file) ? Recognition::likely : Recognition::no;
}

template <bool (*fits)(const fs::path&), Recognition found>
Recognition recognise(const fs::path& file)
{
    return fits(file) ? found : Recognition::no;
}

/// Positions in double precision are one record.
constexpr std::uint64_t most_gadget_particles = most_gadget_record_bytes / (3 * sizeof(double));

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::list<SnapshotFormat> built_in_formats()
{
    return {
        {"hdf5",
         {"HDF5 in Gadget's layout",
          {".hdf5", ".h5"},
          make<GadgetHdf5Writer>,
          true,
          true,
          unlimited,
          PartNames::before_ending},
         {"Gadget HDF5 (GADGET-4, AREPO, SWIFT style)", recognise<is_hdf5, Recognition::certain>,
          read_gadget_hdf5}},
        {"hdf5+tipsy",
         {"the same with a tipsy file, its ids and its units beside each",
          {".hdf5"},
          make<GadgetHdf5AndTipsyWriter>,
          false,
          true}},
        {"swift", {"HDF5 in the layout of SWIFT", {".hdf5"}, make<SwiftWriter>, true}},
        {"gadget1",
         {"Gadget binary, format 1",
          {".gadget", ".gadget1", ".gad"},
          make<GadgetBinaryWriter<1>>,
          false,
          true,
          most_gadget_particles,
          PartNames::behind_ending},
         {"Gadget binary (formats 1 and 2)", recognise<is_gadget_binary, Recognition::likely>,
          read_gadget_binary}},
        {"gadget2",
         {"Gadget binary, format 2",
          {".gadget2"},
          make<GadgetBinaryWriter<2>>,
          false,
          true,
          most_gadget_particles,
          PartNames::behind_ending}},
        {"tipsy",
         {"tipsy, standard: big-endian", {".tipsy", ".std", ".tbin"}, make<TipsyWriter<std::endian::big>>},
         {"tipsy (standard and native)", recognise_tipsy, read_tipsy}},
        {"tipsy-native",
         {"tipsy, native: little-endian", {".tipsy"}, make<TipsyWriter<std::endian::little>>}},
        {"text",
         {"a line for each particle", {".txt"}, make<TextTableWriter>},
         {"text tables (id m x y z vx vy vz)", recognise<is_text, Recognition::likely>, read_text_table}}};
}

bool has_ending(const SnapshotFormat& format, const std::string& ending)
{
    return format.writing.make &&
           std::ranges::find(format.writing.endings, ending) != format.writing.endings.end();
}

/// The formats with this ending of file names.
std::vector<const SnapshotFormat*> formats_with(const std::string& ending)
{
    std::vector<const SnapshotFormat*> found;
    for (const SnapshotFormat& format : snapshot_formats().entries())
        if (has_ending(format, ending)) found.push_back(&format);
    return found;
}

/// Without a number behind a last point; nothing where there is none.
std::optional<std::string_view> without_number(std::string_view name)
{
    const std::size_t dot = name.find_last_not_of("0123456789");
    if (dot == std::string_view::npos || dot + 1 == name.size() || name[dot] != '.') return {};
    return name.substr(0, dot);
}

/// The name of the whole of which a file is a part by its name, in this format; nothing for others.
std::optional<std::string> whole_name(const SnapshotFormat& format, std::string_view name)
{
    for (const std::string_view ending : format.writing.endings) {
        if (format.writing.parts == PartNames::before_ending && name.ends_with(ending))
            if (const auto stem = without_number(name.substr(0, name.size() - ending.size())))
                return std::string(*stem) + std::string(ending);
        if (format.writing.parts == PartNames::behind_ending)
            if (const auto whole = without_number(name); whole && whole->ends_with(ending))
                return std::string(*whole);
    }
    return {};
}

std::string all_endings()
{
    std::vector<std::string> endings;
    for (const SnapshotFormat& format : snapshot_formats().entries())
        for (const std::string& ending : format.writing.endings)
            if (std::ranges::find(endings, ending) == endings.end()) endings.push_back(ending);
    return list_text(endings, ", ");
}

}  // namespace

Registry<SnapshotFormat>& snapshot_formats()
{
    static Registry<SnapshotFormat> table("snapshot format", built_in_formats());
    return table;
}

std::string known_snapshot_formats()
{
    std::vector<std::string> texts;
    for (const SnapshotFormat& format : snapshot_formats().entries())
        if (format.reading.read) texts.push_back(format.reading.documentation);
    std::string list;
    for (std::size_t k = 0; k < texts.size(); ++k)
        list += texts[k] + (k + 2 < texts.size() ? ", " : k + 2 == texts.size() ? " and " : "");
    return list;
}

const WrittenFormats& written_formats()
{
    static const WrittenFormats formats;
    return formats;
}

std::vector<std::string> WrittenFormats::names() const
{
    std::vector<std::string> names;
    for (const SnapshotFormat& format : snapshot_formats().entries())
        if (format.writing.make) names.push_back(format.name);
    return names;
}

const SnapshotFormat* WrittenFormats::find(std::string_view name) const
{
    const SnapshotFormat* const format = snapshot_formats().find(name);
    return format && format->writing.make ? format : nullptr;
}

const SnapshotFormat& WrittenFormats::at(std::string_view name) const
{
    if (const SnapshotFormat* const format = find(name)) return *format;
    throw ConfigError(
        fmt::format("unknown snapshot format '{}', expected one of {}", name, list_text(names(), ", ")));
}

std::string WrittenFormats::documentation() const
{
    std::vector<std::string> texts;
    for (const SnapshotFormat& format : snapshot_formats().entries())
        if (format.writing.make)
            texts.push_back(fmt::format("{} ({})", format.name, format.writing.documentation));
    return list_text(texts, ", ");
}

const SnapshotFormat& format_for(const fs::path& file, const std::string& name)
{
    const std::string ending = file.extension().string();
    const std::vector<const SnapshotFormat*> fitting = formats_with(ending);
    if (!name.empty()) {
        const SnapshotFormat& format = written_formats().at(name);
        if (fitting.empty() || has_ending(format, ending)) return format;
        throw ConfigError(fmt::format("{}: the ending {} is that of format {}, expected {} for format {}",
                                      file.string(), ending, fitting.front()->name,
                                      list_text(format.writing.endings, " or "), format.name));
    }
    if (!fitting.empty()) return *fitting.front();
    throw ConfigError(fmt::format(
        "{}: the name {}, so that its format is unknown; expected one of {}, or --format with one of {}",
        file.string(), ending.empty() ? "has no ending" : fmt::format("ends in '{}'", ending), all_endings(),
        list_text(written_formats().names(), ", ")));
}

fs::path file_of(const SnapshotFormat& format, const fs::path& stem)
{
    AUREOLE_EXPECT(!format.writing.endings.empty(), "snapshot format {} has no ending for names of files",
                   format.name);
    return fs::path(stem) += format.writing.endings.front();
}

std::vector<std::string> snapshot_endings()
{
    constexpr std::string_view stem = "stem";
    std::vector<std::string> endings;
    for (const SnapshotFormat& format : snapshot_formats().entries()) {
        if (!format.writing.make) continue;
        for (const fs::path& file : format.writing.make()->files(file_of(format, stem))) {
            const std::string ending = file.string().substr(stem.size());
            if (std::ranges::find(endings, ending) == endings.end()) endings.push_back(ending);
        }
    }
    return endings;
}

fs::path part_file(const SnapshotFormat& format, const fs::path& file, std::uint32_t part)
{
    const std::string ending = file.extension().string();
    if (format.writing.parts == PartNames::before_ending)
        return fs::path(file).replace_extension(fmt::format(".{}{}", part, ending));
    return fs::path(file) += fmt::format(".{}", part);
}

void expect_parts_possible(const SnapshotFormat& format, std::uint32_t parts)
{
    if (parts == 1 || format.writing.parts != PartNames::none) return;
    std::vector<std::string> able;
    for (const SnapshotFormat& other : snapshot_formats().entries())
        if (other.writing.parts != PartNames::none) able.push_back(other.name);
    throw ConfigError(
        fmt::format("snapshots of {} files are asked for in format {}, which has one file only; expected "
                    "output.files: 1, or one of the formats {}",
                    parts, format.name, list_text(able, ", ")));
}

void write_in_parts(const SnapshotFormat& format, const SnapshotWriter& writer, const fs::path& file,
                    ConstParticlesView host, SnapshotContent content, std::uint32_t parts)
{
    expect_parts_possible(format, parts);
    if (parts == 1) return writer.write(file, host, content);
    for (std::uint32_t part = parts; part-- > 0;) {
        content.part = {part, parts};
        writer.write(part_file(format, file, part), host, content);
    }
}

std::optional<unsigned> snapshot_number_in(const std::string& name, const NumberedName& stems)
{
    for (const std::string& ending : snapshot_endings())
        if (const auto number = NumberedName{stems.prefix, ending, stems.digits}.number_in(name))
            return number;
    for (const SnapshotFormat& format : snapshot_formats().entries())
        if (const auto whole = whole_name(format, name))
            for (const std::string& ending : format.writing.endings)
                if (const auto number = NumberedName{stems.prefix, ending, stems.digits}.number_in(*whole))
                    return number;
    return {};
}

}  // namespace aureole::io
