#include "transcripts/native_forks.h"

#include "transcripts/test_home.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::transcripts {
namespace {

const std::string kFork = "11111111-2222-4333-8444-555555555555", kParent = "99999999-2222-4333-8444-555555555555";
const SessionPlace kPlace{kFork, "-p"};
const std::string kRecord =
    R"({"type":"user","sessionId":")" + kFork + R"(","forkedFrom":{"sessionId":")" + kParent + R"(","messageUuid":"x"}})";

class NativeForksTest : public testing::Test {
 protected:
  std::optional<std::string> parent(const std::string& text) {
    test.write(kPlace.transcript(), text);
    FoundSession session;
    session.place = kPlace;
    return forked_from(test.home(), session);
  }

  TestHome test;
};

TEST_F(NativeForksTest, Lineage_7_TheFirstRecordsSayIt) {
  EXPECT_EQ(parent(kRecord + "\n"), kParent);
  EXPECT_EQ(parent(R"({"type":"mode"})"
                   "\n{torn\n" +
                   kRecord + "\n"),
            kParent);
  const auto forks = native_forks(test.home()).value();
  ASSERT_EQ(forks.size(), 1U);
  EXPECT_EQ(forks[0].child, kFork);
  EXPECT_EQ(forks[0].parent, kParent);
}

TEST_F(NativeForksTest, WhatOnlyLooksLikeOneIsNone) {
  EXPECT_EQ(parent(""), std::nullopt);
  EXPECT_EQ(parent(R"({"type":"user","message":{"content":"forkedFrom","forkedFrom":{"sessionId":")" + kParent + "\"}}}\n"),
            std::nullopt);
  EXPECT_EQ(parent(R"({"forkedFrom":"x"})"
                   "\n"
                   R"({"forkedFrom":{"sessionId":"../x"}})"
                   "\n"),
            std::nullopt);
  EXPECT_EQ(parent(R"({"forkedFrom":{"sessionId":")" + kFork + "\"}}\n"), std::nullopt);
  EXPECT_EQ(parent(kRecord.substr(0, kRecord.size() - 3)), std::nullopt);
  FoundSession gone;
  gone.place = {kParent, "-p"};
  EXPECT_EQ(forked_from(test.home(), gone), std::nullopt);
}

}  // namespace
}  // namespace holdfast::transcripts
