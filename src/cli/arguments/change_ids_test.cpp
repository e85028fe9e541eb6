#include "cli/arguments/change_ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

std::vector<documents::PendingChange> changes(const std::vector<std::string>& ids) {
  std::vector<documents::PendingChange> made(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    made[i].id = ids[i];
    made[i].path = "a.md";
  }
  return made;
}

TEST(ChangeIds, AUniqueStartIsEnough) {
  const auto all = changes({"c_k3f9", "c_k3aa", "c_k3", "p_x", "c_same", "c_same"});
  EXPECT_EQ(whole_id(all, "c_k3f9"), "c_k3f9");
  EXPECT_EQ(whole_id(all, "c_k3f"), "c_k3f9");
  EXPECT_EQ(whole_id(all, "c_k3"), "c_k3") << "what is typed whole is meant";
  EXPECT_EQ(whole_id(all, "c_s"), "c_same") << "one id, in two documents";
  EXPECT_EQ(whole_id(all, "p_"), "p_") << "too short to be one";
  EXPECT_EQ(whole_id(all, "c_none"), "c_none");
}

TEST(ChangeIds, WhatFitsSeveralIsRefusedWithTheirNames) {
  const auto found = whole_id(changes({"c_k3f9", "c_k3aa", "c_other"}), "c_k");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::ambiguous);
  EXPECT_EQ(found.error().message, "c_k fits 2 changes: c_k3aa in a.md, c_k3f9 in a.md");
  std::vector<std::string> many;
  for (int i = 10; i < 30; ++i) many.push_back("c_a" + std::to_string(i));
  EXPECT_THAT(whole_id(changes(many), "c_a").error().message, testing::EndsWith("c_a19 in a.md, ..."));
}

}  // namespace
}  // namespace holdfast::cli
