// Counts events of the parser, before any node is made. O(text).
#include "sim/config/config_reader.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <map>
#include <sstream>
#include <vector>

#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

class NodeCounter final : public YAML::EventHandler {
public:
    explicit NodeCounter(std::string name) : name_(std::move(name)) {}

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add_leaf(mark, anchor); }
    void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  const std::string&) override
    {
        add_leaf(mark, anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        const auto known = sizes_.find(anchor);
        if (known == sizes_.end()) refuse(mark, "an alias stands inside of what it stands for");
        add(mark, known->second);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override
    {
        open_.push_back({anchor, mark, 0});
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override
    {
        OnSequenceStart(mark, tag, anchor, style);
    }
    void OnMapEnd() override { close(); }

private:
    struct Collection {
        YAML::anchor_t anchor;
        YAML::Mark mark;
        std::size_t nodes;  ///< inside so far
    };

    [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& what) const
    {
        throw ConfigError(fmt::format("{}:{}: {}", name_, mark.line + 1, what));
    }

    /// No sum grows beyond twice the limit: what is larger is refused before it is added to anything.
    void add(const YAML::Mark& mark, std::size_t nodes)
    {
        total_ += nodes;
        if (total_ > most_yaml_nodes)
            refuse(mark,
                   fmt::format("more than {} values, with what aliases stand for; a configuration has a few "
                               "hundred",
                               most_yaml_nodes));
        for (Collection& collection : open_) collection.nodes += nodes;
    }
    void add_leaf(const YAML::Mark& mark, YAML::anchor_t anchor)
    {
        add(mark, 1);
        if (anchor != YAML::NullAnchor) sizes_[anchor] = 1;
    }
    void close()
    {
        const Collection closed = open_.back();
        open_.pop_back();
        add(closed.mark, 1);
        if (closed.anchor != YAML::NullAnchor) sizes_[closed.anchor] = closed.nodes + 1;
    }

    std::string name_;
    std::vector<Collection> open_;
    std::map<YAML::anchor_t, std::size_t> sizes_;
    std::size_t total_ = 0;
};

}  // namespace

void expect_modest_yaml(const std::string& text, const std::filesystem::path& name)
{
    if (text.size() > most_yaml_bytes)
        throw ConfigError(
            fmt::format("{}: more than {} bytes, expected a configuration of some hundred lines",
                        name.string(), most_yaml_bytes));
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    NodeCounter counter(name.string());
    parser.HandleNextDocument(counter);
}

}  // namespace aureole::run
