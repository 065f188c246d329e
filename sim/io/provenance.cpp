#include "sim/io/provenance.hpp"

#include <algorithm>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/utf8.hpp"

namespace aureole::io {
namespace {

constexpr char group[] = "/Provenance";

std::string value_of(const Hdf5File& file, const std::string& object, const std::string& attribute)
{
    return file.attribute_is_text(object, attribute) ? file.text(object, attribute)
                                                     : fmt::format("{}", file.number(object, attribute));
}

constexpr char context[] = "    \"@context\": \"http://www.w3.org/ns/csvw\",\n";

}  // namespace

void write_provenance(Hdf5File& file, const Provenance& provenance)
{
    file.create_group(group);
    for (const auto& [name, text] : provenance) file.write_attribute(group, name, text);
}

Provenance provenance_in(const Hdf5File& file)
{
    Provenance result;
    if (file.has_group(group)) {
        for (const std::string& name : file.attribute_names(group))
            result.emplace_back(name, value_of(file, group, name));
        return result;
    }
    constexpr std::string_view prefix = provenance_prefix;
    for (const std::string& name : file.attribute_names("/"))
        if (name.starts_with(prefix))
            result.emplace_back(name.substr(prefix.size()), value_of(file, "/", name));
    return result;
}

std::filesystem::path metadata_name(const std::filesystem::path& file)
{
    return file.string() + "-metadata.json";
}

std::string to_json(const Provenance& provenance)
{
    std::string text = "{";
    for (const auto& [name, value] : provenance)
        text +=
            fmt::format("{}\n        {}: {}", text.size() > 1 ? "," : "", json_text(name), json_text(value));
    return text + "\n    }";
}

void write_metadata(const std::filesystem::path& file, const Provenance& provenance)
{
    if (provenance.empty()) return;
    write_text_file(metadata_name(file),
                    fmt::format("{{\n{}    \"url\": {},\n    \"notes\": [{}]\n}}\n", context,
                                json_text(relative_url(file.filename().string())), to_json(provenance)));
}

void write_directory_metadata(const std::filesystem::path& directory, const std::vector<std::string>& tables,
                              const Provenance& provenance)
{
    std::string urls;
    for (const std::string& table : tables)
        urls += fmt::format("{}{{\"url\": {}}}", urls.empty() ? "" : ", ", json_text(relative_url(table)));
    write_text_file(directory / directory_metadata_name,
                    fmt::format("{{\n{}    \"tables\": [{}],\n    \"notes\": [{}]\n}}\n", context, urls,
                                to_json(provenance)));
}

std::string to_comments(const Provenance& provenance)
{
    std::string text;
    for (const auto& [name, value] : provenance) {
        text += fmt::format("# {}: ", name);
        for (const char c : valid_utf8(value))
            if (c == '\n')
                text += "\n#     ";
            else
                text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        text += '\n';
    }
    return text;
}

}  // namespace aureole::io
