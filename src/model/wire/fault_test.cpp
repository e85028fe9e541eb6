#include "model/wire/fault.h"

#include <gtest/gtest.h>

namespace holdfast::model {
namespace {

using namespace std::chrono_literals;

TEST(Fault, OrdinaryErrorsAreNotTakenForAnOverflow) {
  EXPECT_TRUE(says_context_overflow({"Maximum context length is 4096", ""}));
  EXPECT_TRUE(says_context_overflow({"no", "context_length_exceeded"}));
  for (const char* other : {"invalid temperature", "model not found", "context deadline exceeded", ""})
    EXPECT_FALSE(says_context_overflow({other, ""})) << other;
}

TEST(Fault, R8_AMissingModelIsToldFromAMissingPath) {
  for (const char* missing : {"model 'qwen' not found", "The model `x` does not exist.", "No models loaded. Please load one."})
    EXPECT_TRUE(says_model_missing({missing, ""})) << missing;
  EXPECT_TRUE(says_model_missing({"no", "model_not_found"}));
  for (const char* other : {"no such path", "Not Found", "", "file not found"})
    EXPECT_FALSE(says_model_missing({other, ""})) << other;
  net::HttpAnswer answer;
  answer.status = 404;
  answer.body = R"({"error":{"message":"model 'qwen' not found"}})";
  EXPECT_TRUE(fault_of(answer, {}).model_missing);
  EXPECT_EQ(fault_of(answer, {}).then, Fault::Then::leave);
  answer.status = 400;
  EXPECT_FALSE(fault_of(answer, {}).model_missing);
}

TEST(Fault, R8_WhichCodesMayPass) {
  net::HttpAnswer answer;
  for (const int status : {408, 429, 500, 502, 503, 504, 529}) {
    answer.status = status;
    EXPECT_EQ(fault_of(answer, {}).then, Fault::Then::retry) << status;
  }
  for (const int status : {301, 400, 401, 403, 404, 405, 413, 422, 501, 505}) {
    answer.status = status;
    EXPECT_EQ(fault_of(answer, {}).then, Fault::Then::leave) << status;
  }
}

}  // namespace
}  // namespace holdfast::model
