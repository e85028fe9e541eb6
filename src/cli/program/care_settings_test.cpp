#include "cli/program/care_settings.h"

#include "session/kinds.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

Settings settings(const std::string& config) {
  return Settings::load({}, [](const std::string&) { return std::optional<std::string>(); }, config, "config.json").value();
}

TEST(CareSettings, S14TheDefaultsAreThoseOfTheKinds) {
  EXPECT_EQ(retention_policy(settings("{}")).fingerprint(), session::RetentionPolicy().fingerprint());
  const session::RetentionPolicy policy = retention_policy(settings("{}"));
  EXPECT_EQ(policy.lead(session::kThread, session::Step::archive), 2 * session::kDay);
  EXPECT_EQ(policy.lead(session::kResearch, session::Step::archive), 7 * session::kDay);
  EXPECT_EQ(policy.notice_min, session::kDay);
  EXPECT_EQ(policy.sweep_every, session::kDay);
  EXPECT_TRUE(policy.auto_sweep);
}

TEST(CareSettings, S14ZeroIsNeverAndFractionsCount) {
  const session::RetentionPolicy policy = retention_policy(settings(
      R"({"retention": {"thread_archive_days": 0.5, "delete_after_archived_days": 0, "purge_after_deleted_days": 0,
                        "failed_archive_days": 3, "reasoning_archive_days": 10, "auto_sweep": false}})"));
  EXPECT_EQ(policy.kinds.at("thread").archive_after, session::kDay / 2);
  EXPECT_FALSE(policy.kinds.at("thread").delete_after);
  EXPECT_FALSE(policy.purge_after);
  EXPECT_EQ(policy.kinds.at("research").failed_archive_after, 3 * session::kDay);
  EXPECT_EQ(policy.kinds.at("reasoning").archive_after, 10 * session::kDay);
  EXPECT_FALSE(policy.kinds.at("run").archive_after);
  EXPECT_FALSE(policy.auto_sweep);
  EXPECT_GT(retention_policy(settings(R"({"retention": {"thread_archive_days": 1e300}})")).kinds.at("thread").archive_after, 0);
}

TEST(CareSettings, TheGateKnowsTwoFallbacks) {
  EXPECT_TRUE(gate_settings(settings("{}"))->token_fallback);
  EXPECT_FALSE(gate_settings(settings(R"({"gate": {"fallback": "refuse"}})"))->token_fallback);
  EXPECT_FALSE(gate_settings(settings(R"({"gate": {"fallback": "perhaps"}})")));
  EXPECT_EQ(gate_settings(settings(R"({"gate": {"timeout_s": 2}})"))->patience, std::chrono::seconds(2));
}

}  // namespace
}  // namespace holdfast::cli
