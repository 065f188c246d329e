#include "sim/core/registry.hpp"

#include <gtest/gtest.h>

#include <list>
#include <memory>

#include "tests/support/message_of.hpp"

namespace aureole::test::registry_test {
namespace {

struct Shape {
    double size = 0;
};
using Factory = std::function<std::unique_ptr<Shape>(const PluginConfigs&)>;
using Shapes = Registry<Plugin<Factory>>;

struct CubeConfig {
    double side = 2;
    std::optional<int> colour;
    bool operator==(const CubeConfig&) const = default;
};

std::list<Plugin<Factory>> built_in()
{
    return {{"cube",
             "as many squares as a die",
             [](const PluginConfigs& c) { return std::make_unique<Shape>(Shape{c.get<CubeConfig>().side}); },
             plugin_settings<CubeConfig>(
                 {setting("side", Quantity::length, &CubeConfig::side, "of the cube", positive()),
                  setting("colour", Quantity::number, &CubeConfig::colour, "a number", at_least(3))}),
             {"die"}},
            {"ball", "round", [](const PluginConfigs&) { return std::make_unique<Shape>(); }}};
}

TEST(Registry, FindsBuiltInAndAddedPlugInsInTheOrderOfRegistration)
{
    Shapes shapes("shape", built_in());
    shapes.add({"cone", "pointed", {}});
    EXPECT_EQ(shapes.names(), (std::vector<std::string>{"cube", "ball", "cone"}));
    EXPECT_EQ(shapes.list(), "cube, ball, cone");
    EXPECT_EQ(shapes.at("cube").make({})->size, 2);
    EXPECT_EQ(shapes.find("pyramid"), nullptr);
}

TEST(Registry, AnEarlierNameFindsTheSameEntry)
{
    const Shapes shapes("shape", built_in());
    EXPECT_EQ(&shapes.at("die"), &shapes.at("cube"));
    EXPECT_EQ(shapes.at("die").name, "cube");
}

TEST(Registry, AnUnknownNameListsTheKnownOnes)
{
    const Shapes shapes("shape", built_in());
    EXPECT_EQ(message_of<ConfigError>([&] { shapes.at("pyramid"); }),
              "unknown shape 'pyramid', expected one of cube, ball");
}

TEST(Registry, ANameIsTakenOnce)
{
    Shapes shapes("shape", built_in());
    for (const char* name : {"cube", "die", ""})
        EXPECT_THROW(shapes.add({name, "", {}}), ArgumentError) << name;
    EXPECT_THROW(shapes.add({"box", "", {}, {}, {"ball"}}), ArgumentError);
    EXPECT_EQ(shapes.entries().size(), 2u);
}

TEST(Registry, AScopedPlugInIsThereForAsLongAsItsObject)
{
    Shapes shapes("shape", built_in());
    {
        const ScopedPlugin cone(shapes, {"cone", "", {}});
        EXPECT_NE(shapes.find("cone"), nullptr);
    }
    EXPECT_EQ(shapes.find("cone"), nullptr);
    EXPECT_EQ(shapes.entries().size(), 2u);
}

TEST(PluginConfigs, HoldTheDefaultsUntilAValueIsSet)
{
    PluginConfigs configs;
    EXPECT_EQ(std::as_const(configs).get<CubeConfig>(), CubeConfig{});
    configs.get<CubeConfig>().side = 5;
    const PluginConfigs copy = configs;
    configs.get<CubeConfig>().side = 6;
    EXPECT_EQ(copy.get<CubeConfig>().side, 5);
}

TEST(Settings, ReachTheStructOfThePlugInAndKnowWhatHolds)
{
    const Shapes shapes("shape", built_in());
    const auto& [side, colour] = std::tie(shapes.at("cube").settings[0], shapes.at("cube").settings[1]);
    PluginConfigs configs;
    EXPECT_EQ(side.path, "side");
    EXPECT_EQ(*std::get<double*>(side.view(configs)), 2);
    *std::get<double*>(side.edit(configs)) = -1;
    EXPECT_EQ(configs.get<CubeConfig>().side, -1);
    EXPECT_FALSE(side.holds(side.view(configs)));
    EXPECT_EQ(side.expected, "a number above 0");
    configs.get<CubeConfig>().colour = 3;
    EXPECT_TRUE(colour.holds(colour.view(configs)))
        << "the rule is asked about the value inside of the optional";
}

TEST(Settings, OfAnInnerStructStandBelowAPrefix)
{
    struct Box {
        CubeConfig cube;
    };
    std::vector<Setting<Box>> rows;
    append_settings(rows, "cube.",
                    std::vector{setting("side", Quantity::length, &CubeConfig::side, "", positive())},
                    &Box::cube);
    Box box;
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].path, "cube.side");
    *std::get<double*>(rows[0].edit(box)) = 7;
    EXPECT_EQ(box.cube.side, 7);
}

TEST(Settings, AChoiceTakesNamesAndTheNamesOfPlugIns)
{
    enum class Colour { red, blue };
    struct Paint {
        std::optional<Colour> colour;
        std::string shape = "ball";
    };
    const Shapes shapes("shape", built_in());
    const auto colour = choice("colour", &Paint::colour, {{"red", Colour::red}, {"blue", Colour::blue}}, "");
    const auto shape = plugin_choice<Paint>("shape", &Paint::shape, shapes, "");
    Paint paint;
    EXPECT_EQ(colour.chosen(paint), "");
    EXPECT_TRUE(colour.choose(paint, "blue"));
    EXPECT_EQ(colour.chosen(paint), "blue");
    EXPECT_FALSE(colour.choose(paint, "green"));
    EXPECT_TRUE(shape.choose(paint, "die"));
    EXPECT_EQ(shape.chosen(paint), "cube") << "the present name, not the earlier one";
    EXPECT_EQ(shape.choices(), shapes.names());
}

}  // namespace
}  // namespace aureole::test::registry_test
