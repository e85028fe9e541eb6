#include "kinds/transcripts/products/claude/native_forks.h"

#include "kinds/transcripts/testing/test_home.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::transcripts {
namespace {

const std::string kForkId = "11111111-2222-4333-8444-555555555555", kParentId = "99999999-2222-4333-8444-555555555555";
const SessionPlace kForkPlace{kForkId, "-p"};
const std::string kForkRecord =
    R"({"type":"user","sessionId":")" + kForkId + R"(","forkedFrom":{"sessionId":")" + kParentId + R"(","messageUuid":"x"}})";

class NativeForksTest : public testing::Test {
 protected:
  std::optional<std::string> parent(const std::string& text) {
    test.write(kForkPlace.transcript(), text);
    const auto bytes = reading::file_source(test.home().open_file(kForkPlace.transcript()).value()).value();
    return forked_from(bytes, kForkId);
  }

  TestHome test;
};

TEST_F(NativeForksTest, Lineage_7_TheFirstRecordsSayIt) {
  EXPECT_EQ(parent(kForkRecord + "\n"), kParentId);
  EXPECT_EQ(parent(R"({"type":"mode"})"
                   "\n{torn\n" +
                   kForkRecord + "\n"),
            kParentId);
  const auto forks = native_forks(test.home()).value();
  ASSERT_EQ(forks.size(), 1U);
  EXPECT_EQ(forks[0].child, kForkId);
  EXPECT_EQ(forks[0].parent, kParentId);
}

TEST_F(NativeForksTest, WhatOnlyLooksLikeOneIsNone) {
  EXPECT_EQ(parent(""), std::nullopt);
  EXPECT_EQ(parent(R"({"type":"user","message":{"content":"forkedFrom","forkedFrom":{"sessionId":")" + kParentId + "\"}}}\n"),
            std::nullopt);
  EXPECT_EQ(parent(R"({"forkedFrom":"x"})"
                   "\n"
                   R"({"forkedFrom":{"sessionId":"../x"}})"
                   "\n"),
            std::nullopt);
  EXPECT_EQ(parent(R"({"forkedFrom":{"sessionId":")" + kForkId + "\"}}\n"), std::nullopt);
  EXPECT_EQ(parent(kForkRecord.substr(0, kForkRecord.size() - 3)), std::nullopt);
}

}  // namespace
}  // namespace holdfast::transcripts
