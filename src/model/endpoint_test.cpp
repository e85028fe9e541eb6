#include "model/endpoint.h"

#include <gmock/gmock.h>

#include <map>

namespace holdfast::model {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Result<std::vector<Endpoint>> endpoints_in(const char* text) {
  return read_endpoints(parse_json(text).value());
}

TEST(Endpoint, P14_ReadsWhatIsThereAndFillsInTheRest) {
  const auto endpoints = endpoints_in(R"([{"base_url":"http://127.0.0.1:1234/v1/","model":"qwen"},
    {"name":"cloud","base_url":"https://api.example.com/v1","model":"big","api_key_env":"CLOUD_KEY","context_window":128000,
     "max_output_tokens":4096,"timeout_s":30}])");
  ASSERT_TRUE(endpoints) << endpoints.error().message;
  EXPECT_EQ(endpoints->at(0).name, "qwen");
  EXPECT_EQ(endpoints->at(0).base_url, "http://127.0.0.1:1234/v1");
  EXPECT_EQ(endpoints->at(0).context_window, 8192);
  EXPECT_EQ(endpoints->at(1).name, "cloud");
  EXPECT_EQ(endpoints->at(1).api_key_env, "CLOUD_KEY");
  EXPECT_EQ(endpoints->at(1).timeout_s, 30);
  EXPECT_TRUE(endpoints_in("null").value().empty());
  EXPECT_TRUE(endpoints_in("[]").value().empty());
}

TEST(Endpoint, P14_NamesTheEntryAndTheMemberThatIsWrong) {
  const auto message = [](const char* text) {
    const auto refused = endpoints_in(text);
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
  const auto refused = endpoints_in(R"([{"base_url":"http://x","model":"m","api_key":"sk-secret"}])");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().hint, HasSubstr("api_key_env"));
  EXPECT_THAT(refused.error().message + refused.error().hint, Not(HasSubstr("sk-secret")));
  const auto user = endpoints_in(R"([{"base_url":"http://me:pass@x/v1","model":"m"}])");
  ASSERT_FALSE(user);
  EXPECT_THAT(user.error().message + user.error().hint, Not(HasSubstr("pass")));
}

TEST(Endpoint, R8_SettingsForToolsAreRead) {
  const auto endpoints =
      endpoints_in(
          R"([{"base_url":"http://x/v1","model":"m","api":"responses","stream":false,"tool_calls_in_text":true,"context_window":9},
          {"base_url":"http://x/v1","model":"n","api":"chat"}])")
          .value();
  EXPECT_EQ(endpoints[0].api, Api::responses);
  EXPECT_FALSE(endpoints[0].stream);
  EXPECT_TRUE(endpoints[0].tool_calls_in_text);
  EXPECT_TRUE(endpoints[0].context_window_known);
  EXPECT_EQ(endpoints[1].api, Api::chat);
  EXPECT_TRUE(endpoints[1].stream);
  EXPECT_FALSE(endpoints[1].tool_calls_in_text || endpoints[1].context_window_known);
  EXPECT_THAT(endpoints_in(R"([{"base_url":"http://x","model":"m","api":"grpc"}])").error().message, HasSubstr("llm[0].api"));
  EXPECT_THAT(endpoints_in(R"([{"base_url":"http://x","model":"m","stream":1}])").error().message, HasSubstr("llm[0].stream"));
}

TEST(Endpoint, P13_KeysAreHiddenWhateverTheyConsistOf) {
  std::string text = "bad key sk-1, really sk-1";
  hide_key(text, "sk-1");
  EXPECT_EQ(text, "bad key [key], really [key]");
  text = "eke";
  hide_key(text, "e");
  EXPECT_EQ(text, "[key]k[key]");
}

TEST(Endpoint, R11_AddressesAreJoinedWhateverTheirEnd) {
  for (const char* base : {"http://h:1/v1", "http://h:1/v1/", "http://h:1/v1//"}) {
    Endpoint endpoint;
    endpoint.base_url = base;
    EXPECT_EQ(url_of(endpoint, "/models"), "http://h:1/v1/models") << base;
    EXPECT_EQ(native_url_of(endpoint, "/api/v0/models"), "http://h:1/api/v0/models") << base;
  }
  Endpoint bare;
  bare.base_url = "http://h:1/";
  EXPECT_EQ(url_of(bare, "/models"), "http://h:1/models");
  EXPECT_EQ(native_url_of(bare, "/api/v0/models"), "http://h:1/api/v0/models");
}

TEST(Endpoint, R8_WithoutSettingsThereIsLmStudioOnThisMachine) {
  std::map<std::string, std::string> variables;
  const auto made = [&] {
    return local_endpoint([&](const std::string& name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    });
  };
  EXPECT_EQ(made().value().base_url, "http://localhost:1234/v1");
  EXPECT_EQ(made().value().model, "");
  EXPECT_EQ(made().value().api_key_env, "");
  EXPECT_FALSE(made().value().context_window_known);
  variables = {{"LMSTUDIO_HOST", "box.lan"}, {"LMSTUDIO_PORT", "4321"}, {"DEFAULT_MODEL", "qwen"}, {"LM_API_TOKEN", "t"}};
  EXPECT_EQ(made().value().base_url, "http://box.lan:4321/v1");
  EXPECT_EQ(made().value().model, "qwen");
  EXPECT_EQ(made().value().api_key_env, "LM_API_TOKEN");
  variables["LMSTUDIO_HOST"] = "::1";
  EXPECT_EQ(made().value().base_url, "http://[::1]:4321/v1");
  for (const char* port : {"0", "65536", "x", "12a", "-1"}) {
    variables["LMSTUDIO_PORT"] = port;
    EXPECT_THAT(made().error().message, HasSubstr("LMSTUDIO_PORT")) << port;
  }
  variables = {{"LMSTUDIO_HOST", "http://x/v1"}};
  EXPECT_THAT(made().error().message, HasSubstr("LMSTUDIO_HOST"));
}

}  // namespace
}  // namespace holdfast::model
