#include "operations/operation.h"

#include <gtest/gtest.h>

#include <array>

namespace holdfast::operations {
namespace {

using enum Parameter::Type;

constexpr std::array kParameters{
    Parameter{.name = "session", .required = true, .may_be_empty = false, .option = "ID"},
    Parameter{.name = "format", .words = "html|md"},
    Parameter{.name = "limit", .type = number, .least = 1, .most = 10},
    Parameter{.name = "tags", .type = texts},
    Parameter{.name = "all", .type = flag, .against = "limit"},
};
constexpr Operation kOperation{.name = "show", .summary = "", .parameters = kParameters};

std::string refusal(JsonObject values) {
  auto done = check(kOperation, Given(std::move(values)));
  return done ? "" : done.error().message + "; " + done.error().hint;
}

TEST(Operation, WhatFitsTheTableIsTaken) {
  EXPECT_EQ(refusal({{"session", "4f2a"}}), "");
  EXPECT_EQ(refusal({{"session", "4f2a"}, {"format", "md"}, {"limit", 10}, {"tags", JsonArray{"a", "b"}}}), "");
  EXPECT_EQ(refusal({{"session", "4f2a"}, {"tags", "one"}, {"all", true}}), "");
}

TEST(Operation, WhatDoesNotFitIsNamed) {
  EXPECT_EQ(refusal({}), "show needs {session}; ");
  EXPECT_EQ(refusal({{"session", ""}}), "{session} is empty; give it, or leave it out");
  EXPECT_EQ(refusal({{"session", "a"}, {"format", "pdf"}}), "{format} cannot be pdf; use one of: html, md");
  EXPECT_EQ(refusal({{"session", "a"}, {"limit", 11}}), "{limit} is a whole number from 1 to 10; ");
  EXPECT_EQ(refusal({{"session", "a"}, {"tags", JsonArray{1}}}), "{tags} is a list of texts; ");
  EXPECT_EQ(refusal({{"session", "a"}, {"all", true}, {"limit", 1}}), "{all} and {limit} exclude each other; ");
  EXPECT_EQ(refusal({{"session", "a"}, {"colour", 1}}), "show takes no colour; ");
}

TEST(Operation, ParametersAreSpelledByTheSurface) {
  const auto dashes = [](std::string_view name) { return "--" + std::string(name); };
  EXPECT_EQ(in_spelling_of("give {force}, or {yes}", dashes), "give --force, or --yes");
  EXPECT_EQ(in_spelling_of("as it is: {A}, {}, {a b}, {open", dashes), "as it is: {A}, {}, {a b}, {open");
}

TEST(Given, HoldsValuesByName) {
  const Given given({{"one", "a"}, {"several", JsonArray{"b", "c"}}, {"many", 3}, {"yes", true}});
  EXPECT_EQ(given.text("one"), "a");
  EXPECT_EQ(given.text("none"), "");
  EXPECT_EQ(given.texts("one"), std::vector<std::string>{"a"});
  EXPECT_EQ(given.texts("several").size(), 2u);
  EXPECT_EQ(given.number("many"), 3);
  EXPECT_TRUE(given.flag("yes"));
  EXPECT_FALSE(given.choice("none"));
}

}  // namespace
}  // namespace holdfast::operations
