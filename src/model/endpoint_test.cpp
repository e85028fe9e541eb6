#include "model/endpoint.h"

#include <gmock/gmock.h>

namespace holdfast::model {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Result<std::vector<Endpoint>> read(const char* text) {
  return read_endpoints(parse_json(text).value());
}

TEST(Endpoint, P14_ReadsWhatIsThereAndFillsInTheRest) {
  const auto endpoints = read(R"([{"base_url":"http://127.0.0.1:1234/v1/","model":"qwen"},
    {"name":"cloud","base_url":"https://api.example.com/v1","model":"big","api_key_env":"CLOUD_KEY","context_window":128000,
     "max_output_tokens":4096,"timeout_s":30}])");
  ASSERT_TRUE(endpoints) << endpoints.error().message;
  EXPECT_EQ(endpoints->at(0).name, "qwen");
  EXPECT_EQ(endpoints->at(0).base_url, "http://127.0.0.1:1234/v1");
  EXPECT_EQ(endpoints->at(0).context_window, 8192);
  EXPECT_EQ(endpoints->at(1).name, "cloud");
  EXPECT_EQ(endpoints->at(1).api_key_env, "CLOUD_KEY");
  EXPECT_EQ(endpoints->at(1).timeout_s, 30);
  EXPECT_TRUE(read("null").value().empty());
  EXPECT_TRUE(read("[]").value().empty());
}

TEST(Endpoint, P14_NamesTheEntryAndTheMemberThatIsWrong) {
  const auto message = [](const char* text) {
    const auto refused = read(text);
    EXPECT_FALSE(refused) << text;
    return refused ? std::string() : refused.error().message + refused.error().hint;
  };
  EXPECT_THAT(message(R"({"base_url":"http://x"})"), HasSubstr("llm must be a list"));
  EXPECT_THAT(message(R"([1])"), HasSubstr("llm[0]"));
  EXPECT_THAT(message(R"([{"model":"m"}])"), HasSubstr("llm[0].base_url is missing"));
  EXPECT_THAT(message(R"([{"base_url":"ftp://x","model":"m"}])"), HasSubstr("llm[0].base_url"));
  EXPECT_THAT(message(R"([{"base_url":"http://x/v1?k=1","model":"m"}])"), HasSubstr("llm[0].base_url"));
  EXPECT_THAT(message(R"([{"base_url":"http://x"}])"), HasSubstr("llm[0].name"));
  EXPECT_THAT(message(R"([{"base_url":"http://x","model":7}])"), HasSubstr("llm[0].model"));
  EXPECT_THAT(message(R"([{"base_url":"http://x","model":"m","timeout_s":0}])"), HasSubstr("llm[0].timeout_s"));
  EXPECT_THAT(message(R"([{"base_url":"http://x","model":"m","context_window":"big"}])"), HasSubstr("llm[0].context_window"));
  EXPECT_THAT(message(R"([{"base_url":"http://x","model":"m","modle":"n"}])"), HasSubstr("llm[0].modle is not known"));
  EXPECT_THAT(message(R"([{"base_url":"http://x","model":"m"},{"base_url":"http://y","model":"m"}])"), HasSubstr("llm[1].name"));
}

TEST(Endpoint, P13_KeysDoNotBelongIntoTheFile) {
  const auto refused = read(R"([{"base_url":"http://x","model":"m","api_key":"sk-secret"}])");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().hint, HasSubstr("api_key_env"));
  EXPECT_THAT(refused.error().message + refused.error().hint, Not(HasSubstr("sk-secret")));
  const auto user = read(R"([{"base_url":"http://me:pass@x/v1","model":"m"}])");
  ASSERT_FALSE(user);
  EXPECT_THAT(user.error().message + user.error().hint, Not(HasSubstr("pass")));
}

}  // namespace
}  // namespace holdfast::model
