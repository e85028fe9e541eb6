#include "base/files/test_folder.h"
#include "operations/store/access_tokens.h"
#include "operations/table.h"
#include "operations/test_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::operations {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Somebody whose surface looks after nothing.
class Stranger final : public Context {
 public:
  const Identity& identity() const override { return identity_; }
  Millis now() const override { return 0; }
  const session::RetentionPolicy& policy() const override { return policy_; }
  Result<session::Store*> store(bool) override { return not_offered("sessions"); }
  Result<void> agree(const std::string&, const JsonObject&) override { return {}; }

 private:
  Identity identity_ = full_identity("ann");
  session::RetentionPolicy policy_;
};

struct StoreOperationsTest : testing::Test {
  static Result<Facts> perform(Context& context, std::string_view name, JsonObject values = {}) {
    const Operation& operation = *find_operation(name);
    const Given given(std::move(values));
    HF_CHECK(check(operation, given));
    return operation.run(context, given);
  }

  TestFolder folder;
  TestContext context{folder.path()};
};

TEST_F(StoreOperationsTest, ATokenIsShownOnceAndListedWithoutItsText) {
  const Facts made =
      perform(context, "token add", {{"name", "ann"}, {"scope", "read"}, {"project", "work"}, {"expires", "2d"}}).value();
  EXPECT_THAT(text_in(made, "token"), StartsWith(kTokenPrefix));
  EXPECT_EQ(text_in(made, "principal"), "ann");
  EXPECT_THAT(to_json(made), HasSubstr("file://" + folder.path() + "/work"));
  const Facts listed = perform(context, "token list").value();
  EXPECT_THAT(to_json(listed), HasSubstr("\"scopes\":\"read\""));
  EXPECT_THAT(to_json(listed), testing::Not(HasSubstr(text_in(made, "token"))));
  EXPECT_EQ(perform(context, "token add", {{"name", "ann"}}).error().kind, ErrorKind::conflict);
  ASSERT_TRUE(perform(context, "token revoke", {{"name", "ann"}}));
  EXPECT_TRUE(find_array(perform(context, "token list").value(), "tokens")->empty());
  EXPECT_EQ(perform(context, "token revoke", {{"name", "ann"}}).error().kind, ErrorKind::not_found);
}

TEST_F(StoreOperationsTest, TheFirstTokenGoesWithItsFile) {
  session::Store* const store = context.administration().value().store(false).value();
  ASSERT_TRUE(AccessTokens(*store).ensure_first(folder / "token"));
  ASSERT_TRUE(std::filesystem::exists(folder / "token"));
  ASSERT_TRUE(perform(context, "token revoke", {{"name", "local"}}));
  EXPECT_FALSE(std::filesystem::exists(folder / "token"));
}

TEST_F(StoreOperationsTest, ABackupIsAStoreOfItsOwn) {
  context.create("thread");
  const std::string file = folder / "backup.db";
  const Facts made = perform(context, "store backup", {{"file", file}}).value();
  EXPECT_EQ(find_int(made, "sessions"), 1);
  EXPECT_EQ(find_bool(made, "verified"), true);
  EXPECT_EQ(perform(context, "store backup", {{"file", file}}).error().kind, ErrorKind::conflict);
  const Facts copied = perform(context, "store copy", {{"from", file}, {"to", std::string(folder / "copy.db")}}).value();
  EXPECT_EQ(find_int(copied, "sessions"), 1);
  EXPECT_EQ(perform(context, "store copy", {{"from", file}, {"to", "sqlite:" + file}}).error().kind, ErrorKind::invalid);
}

TEST_F(StoreOperationsTest, TheStoreTellsOfItselfAndIsVerified) {
  context.create("thread");
  EXPECT_EQ(find_int(perform(context, "store info").value(), "sessions"), 1);
  EXPECT_EQ(find_bool(perform(context, "store verify").value(), "ok"), true);
}

TEST_F(StoreOperationsTest, NobodyElseLooksAfterTheStore) {
  Stranger stranger;
  for (const char* name : {"store info", "token list"}) {
    const auto refused = perform(stranger, name);
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().kind, ErrorKind::unavailable);
    EXPECT_THAT(refused.error().message, StartsWith("not offered here: "));
  }
}

}  // namespace
}  // namespace holdfast::operations
