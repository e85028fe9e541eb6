#include "operations/documents/review.h"

#include "kinds/documents/workspace/test_workspace.h"
#include "operations/context.h"
#include "operations/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::operations {
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

// A surface that has documents under review. `person`: whether it knows that a person decides.
class PersonsSide final : public Context {
 public:
  PersonsSide(documents::Workspace& workspace, bool person) : workspace_(workspace), person_(person) {}

  const Identity& identity() const override { return identity_; }
  Millis now() const override { return documents::kStart; }
  const session::RetentionPolicy& policy() const override { return policy_; }
  Result<session::Store*> store(bool) override { return not_offered("sessions"); }
  Result<Documents> documents() override {
    Documents documents;
    documents.workspace = std::shared_ptr<documents::Workspace>(std::shared_ptr<void>(), &workspace_);  // the fixture keeps it
    documents.asker = [this]() -> Result<documents::Asker> {
      if (person_) return documents::WorkspaceTest::person();
      return documents::WorkspaceTest::with("");
    };
    return documents;
  }
  Result<void> agree(const std::string&, const JsonObject&) override { return {}; }

 private:
  documents::Workspace& workspace_;
  bool person_;
  Identity identity_ = local_identity();
  session::RetentionPolicy policy_;
};

struct ReviewOperationsTest : documents::WorkspaceTest {
  ReviewOperationsTest() {
    kb.write("kelp.md", "Kelp grows slowly here.\n");
    EXPECT_TRUE(edit(reader("kelp.md"), "kelp.md", "slowly", "fast"));
  }
  Result<Facts> perform(std::string_view name, JsonObject values, bool person = true) {
    PersonsSide side(*workspace, person);
    const Operation& operation = *find_operation(name);
    const Given given(std::move(values));
    HF_CHECK(check(operation, given));
    return operation.run(side, given);
  }
};

TEST_F(ReviewOperationsTest, AStartOfAnIdIsEnoughToAccept) {
  const std::string id = pending().front().id;
  const Facts report = perform("review accept", {{"change", JsonArray{id.substr(0, id.size() - 1)}}}).value();
  EXPECT_EQ(to_json(report.at("applied")), "[\"" + id + "\"]");
  EXPECT_EQ(kb.read("kelp.md"), "Kelp grows fast here.\n");
}

TEST_F(ReviewOperationsTest, IdsAndAllDoNotGoTogether) {
  EXPECT_EQ(perform("review reject", {{"all", true}, {"change", "c_1"}}).error().message, "{all} and ids do not go together");
  EXPECT_EQ(perform("review reject", {}).error().message, "which changes?");
  EXPECT_EQ(find_array(perform("review reject", {{"all", true}, {"author", "nobody"}}).value(), "applied")->size(), 0U);
  EXPECT_EQ(pending().size(), 1U);
  EXPECT_EQ(find_array(perform("review reject", {{"all", true}}).value(), "applied")->size(), 1U);
  EXPECT_EQ(kb.read("kelp.md"), "Kelp grows slowly here.\n");
}

TEST_F(ReviewOperationsTest, OnlyAPersonDecides) {
  const std::string before = kb.read("kelp.md");
  const auto refused = perform("review accept", {{"all", true}}, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "reviewer_required");
  EXPECT_EQ(kb.read("kelp.md"), before);
}

TEST_F(ReviewOperationsTest, ChangesAreListedCommentedAndTheirDocumentsExported) {
  const Facts listed = perform("review list", {{"path", "kelp.md"}}).value();
  EXPECT_EQ(find_int(listed, "count"), 1);
  EXPECT_EQ(text_in(perform("review export", {{"path", "kelp.md"}, {"base", true}}).value(), "text"),
            "Kelp grows slowly here.\n");
  const std::string id = pending().front().id;
  ASSERT_TRUE(perform("review comment", {{"change", id}, {"text", JsonArray{"in", "winter?"}}}));
  EXPECT_THAT(to_json(perform("review show", {{"what", "kelp.md"}}).value()), testing::HasSubstr("in winter?"));
  EXPECT_THAT(perform("review list", {{"since", "yesterday"}}).error().message, testing::StartsWith("{since}: "));
}

}  // namespace
}  // namespace holdfast::operations
