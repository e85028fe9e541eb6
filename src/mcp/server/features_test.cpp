// Variables of resource templates.

#include "mcp/server/features.h"

#include <gtest/gtest.h>

namespace holdfast::mcp {
namespace {

TEST(MatchTemplate, FillsVariables) {
  EXPECT_EQ(match_template("test://t/{id}/data", "test://t/123/data"), (Variables{{"id", "123"}}));
  EXPECT_EQ(match_template("x://{a}/{b}", "x://1/2"), (Variables{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(match_template("x://{a}-{b}", "x://1-2"), (Variables{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(match_template("x://fixed", "x://fixed"), Variables{});
  EXPECT_EQ(match_template("x://{a}", "x://%C3%A4%20%2F"), (Variables{{"a", "\xC3\xA4 /"}}));
}

TEST(MatchTemplate, WhatDoesNotFit) {
  for (const char* uri : {"test://t//data", "test://t/1/2/data", "test://t/1/dat", "test://t/1/data/", "test://u/1/data", "",
                          "test://t/%zz/data", "test://t/1"})
    EXPECT_FALSE(match_template("test://t/{id}/data", uri)) << uri;
  EXPECT_FALSE(match_template("x://{a", "x://1"));
}

}  // namespace
}  // namespace holdfast::mcp
