#include "model/served_models.h"

#include "model/test_endpoint.h"

#include <gmock/gmock.h>

#include <future>

namespace holdfast::model {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using Server = TestEndpoint;

std::vector<ServedModel> served(const char* text, ListForm form = ListForm::lmstudio_v0) {
  return read_served(parse_json(text).value(), form).value();
}

std::string picked(const std::vector<ServedModel>& from, std::string_view wanted) {
  const ServedModel* found = pick_model(from, wanted);
  return found ? found->id : "none";
}

constexpr const char* kV0 = R"({"object":"list","data":[
  {"id":"text-embedding-nomic","type":"embeddings","state":"loaded","max_context_length":2048},
  {"id":"big-70b","type":"llm","state":"not-loaded","max_context_length":131072},
  {"id":"qwen3-8b","type":"llm","state":"loaded","max_context_length":40960,"loaded_context_length":4096},
  {"id":"tiny-1.5b","type":"llm","state":"not-loaded","max_context_length":32768}]})";
constexpr const char* kV1 = R"({"models":[
  {"type":"embedding","key":"nomic","loaded_instances":[{"id":"nomic","config":{}}],"max_context_length":2048},
  {"type":"llm","key":"qwen/qwen3-8b","params_string":"8B","max_context_length":40960,
   "loaded_instances":[{"id":"qwen/qwen3-8b","config":{"context_length":4096}},{"id":"qwen/qwen3-8b:2","config":{"context_length":9000}}]},
  {"type":"llm","key":"mystery","params_string":"3B","max_context_length":8192,"loaded_instances":[]}]})";
// With status 200, as LM Studio says it.
constexpr const char* kUnknownPath = R"({"error":"Unexpected endpoint or method. GET /api/v1/models"})";
constexpr const char* kPlain =
    R"({"object":"list","data":[{"id":"text-embedding-3-small"},{"id":"played-9b"},{"id":"played-2b"}]})";

TEST(ServedModels, R8_ListsOfAllThreeFormsAreRead) {
  const auto v0 = served(kV0);
  ASSERT_THAT(v0, SizeIs(4));
  EXPECT_TRUE(v0[0].embedding);
  EXPECT_EQ(v0[1].loaded, false);
  EXPECT_EQ(v0[1].context, 131072);
  EXPECT_EQ(v0[2].loaded, true);
  EXPECT_EQ(v0[2].context, 4096) << "what it was loaded with, not what it could hold";
  const auto v1 = served(kV1, ListForm::lmstudio_v1);
  ASSERT_THAT(v1, SizeIs(4));
  EXPECT_TRUE(v1[0].embedding);
  EXPECT_EQ(v1[1].id, "qwen/qwen3-8b");
  EXPECT_EQ(v1[1].context, 4096);
  EXPECT_EQ(v1[2].id, "qwen/qwen3-8b:2");
  EXPECT_EQ(v1[2].context, 9000);
  EXPECT_EQ(v1[3].loaded, false);
  EXPECT_EQ(v1[3].billions, 3);
  const auto plain = served(kPlain, ListForm::openai);
  EXPECT_TRUE(plain[0].embedding);
  EXPECT_EQ(plain[1].loaded, std::nullopt);
  EXPECT_EQ(plain[1].context, std::nullopt);
  EXPECT_EQ(served(R"({"data":[{"id":"v","max_model_len":4096},{"id":"l","meta":{"n_ctx":512}}]})", ListForm::openai)[1].context,
            512);
}

TEST(ServedModels, R8_WhatIsNoListOfThatFormIsNotTakenForOne) {
  for (const char* other : {kUnknownPath, "[]", "7", R"({"data":{}})", kPlain}) {
    EXPECT_FALSE(read_served(parse_json(other).value(), ListForm::lmstudio_v1)) << other;
    EXPECT_FALSE(read_served(parse_json(other).value(), ListForm::lmstudio_v0)) << other;
  }
  EXPECT_THAT(served(R"({"data":[null,3,{"id":7},{"id":"","state":"loaded"}]})", ListForm::openai), IsEmpty());
}

TEST(ServedModels, R8_WithoutANameTheLoadedModelIsTakenElseTheSmallest) {
  EXPECT_EQ(picked(served(kV0), ""), "qwen3-8b");
  EXPECT_EQ(picked(served(kV0), "default"), "qwen3-8b");
  EXPECT_EQ(picked(served(kPlain, ListForm::openai), ""), "played-2b");
  EXPECT_EQ(picked(served(R"({"data":[{"id":"unknown"},{"id":"m-7b"}]})", ListForm::openai), ""), "m-7b");
  EXPECT_EQ(picked(served(R"({"data":[{"id":"text-embedding-x"}]})", ListForm::openai), ""), "none");
  EXPECT_EQ(picked({}, ""), "none");
}

TEST(ServedModels, R8_IdleAndProcessingCountAsLoaded) {
  for (const char* state : {"loaded", "idle", "processing"})
    EXPECT_EQ(served((std::string(R"({"data":[{"id":"m","state":")") + state + "\"}]}").c_str())[0].loaded, true) << state;
  EXPECT_EQ(served(R"({"data":[{"id":"m","state":"not-loaded"}]})")[0].loaded, false);
}

TEST(ServedModels, R8_ANumberBehindANameIsAnInstance) {
  const auto v1 = served(kV1, ListForm::lmstudio_v1);
  EXPECT_EQ(picked(v1, "qwen/qwen3-8b"), "qwen/qwen3-8b");
  EXPECT_EQ(picked(v1, "qwen/qwen3-8b:2"), "qwen/qwen3-8b:2");
  EXPECT_EQ(picked(v1, "qwen/qwen3-8b:7"), "qwen/qwen3-8b") << "gone since; another is loaded";
  EXPECT_EQ(picked(v1, "mystery:2"), "mystery");
  const auto second_only = served(R"({"data":[{"id":"m","state":"not-loaded"},{"id":"m:2","state":"idle"}]})");
  EXPECT_EQ(picked(second_only, "m"), "m:2") << "loading m again would make a third";
  const auto alias = served(R"({"models":[{"key":"m","loaded_instances":[{"id":"mine"}]}]})", ListForm::lmstudio_v1);
  EXPECT_EQ(picked(alias, "m"), "mine");
  EXPECT_EQ(picked(v1, "qwen"), "none");
}

TEST(ServedModels, NamesOfOtherServersAreUnderstood) {
  EXPECT_EQ(picked(served(R"({"data":[{"id":"llama3:latest"},{"id":"qwen3:8b"}]})", ListForm::openai), "llama3"),
            "llama3:latest");
  EXPECT_EQ(picked(served(R"({"data":[{"id":"/models/x.gguf","owned_by":"llamacpp"}]})", ListForm::openai), "any"),
            "/models/x.gguf");
}

TEST(ServedModels, SizesAreReadFromNames) {
  EXPECT_EQ(billions_in("qwen3-4b"), 4);
  EXPECT_EQ(billions_in("deepseek-r1-distill-qwen-1.5b-q4"), 1.5);
  EXPECT_EQ(billions_in("mixtral-8x7b-instruct"), 56);
  EXPECT_EQ(billions_in("smollm2-135m"), 0.135);
  EXPECT_EQ(billions_in("qwen3-30b-a3b"), 30);
  EXPECT_EQ(billions_in("7B"), 7);
  for (const char* none : {"", "gpt-4", "phi-3-mini", "b", "4bit", "model-8bit", "v1.2beta"})
    EXPECT_EQ(billions_in(none), std::nullopt) << none;
}

struct ServedModelsTest : testing::Test {
  ServedModels& open(Server& server) {
    endpoint.base_url = server.base_url();
    models.emplace(endpoint, clients, environment, [this] { return now; });
    return *models;
  }

  Endpoint endpoint;
  HttpClients clients;
  Environment environment = [](const std::string&) { return std::optional<std::string>("sk-secret-1"); };
  std::chrono::steady_clock::time_point now{};
  std::optional<ServedModels> models;
};

TEST_F(ServedModelsTest, R8_TheListIsKeptForAMinute) {
  Server server({Server::status(404)});
  server.route("/api/v1/models", Server::status(200, kV1));
  ServedModels& list = open(server);
  const auto found = list.choose("", {});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->id, "qwen/qwen3-8b");
  EXPECT_EQ(found->context, 4096);
  now += 59s;
  ASSERT_TRUE(list.choose("mystery", {}));
  EXPECT_THAT(server.paths(), ElementsAre("/api/v1/models"));
  now += 2s;
  ASSERT_TRUE(list.choose("mystery", {}));
  EXPECT_THAT(server.paths(), SizeIs(2));
}

TEST_F(ServedModelsTest, R8_ANameThatIsMissingIsLookedForOnceMoreAndThenAnError) {
  Server server({Server::status(404)});
  server.route("/api/v1/models", Server::status(200, kV1));
  ServedModels& list = open(server);
  ASSERT_TRUE(list.choose("", {}));
  const auto missing = list.choose("gone-7b", {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::not_found);
  EXPECT_EQ(missing.error().code, "MODEL_NOT_FOUND");
  EXPECT_THAT(missing.error().message, HasSubstr("gone-7b"));
  EXPECT_THAT(missing.error().hint,
              testing::AllOf(HasSubstr("qwen/qwen3-8b, qwen/qwen3-8b:2, mystery"), Not(HasSubstr("nomic"))));
  EXPECT_THAT(server.paths(), SizeIs(2));
  server.route("/api/v1/models", Server::status(200, R"({"models":[{"key":"gone-7b","loaded_instances":[]}]})"));
  EXPECT_TRUE(list.choose("gone-7b", {})) << "downloaded meanwhile";
}

TEST_F(ServedModelsTest, R8_ServersThatAreNotLmStudioAreAskedTheUsualWayFromThenOn) {
  Server server({Server::status(404)});
  server.route("/api/v1/models", Server::status(200, kUnknownPath));
  server.route("/v1/models", Server::status(200, kPlain));
  ServedModels& list = open(server);
  EXPECT_EQ(list.choose("played-9b", {}).value().id, "played-9b");
  now += 61s;
  EXPECT_EQ(list.choose("", {}).value().id, "played-2b");
  EXPECT_THAT(server.paths(), ElementsAre("/api/v1/models", "/api/v0/models", "/v1/models", "/v1/models"));
}

TEST_F(ServedModelsTest, ServersWithoutAListAndRefusalsAreErrors) {
  Server none({Server::status(404)});
  EXPECT_EQ(open(none).choose("m", {}).error().kind, ErrorKind::corrupt);
  endpoint.api_key_env = "KEY";
  Server refusing({Server::status(401, R"({"error":"bad key sk-secret-1"})")});
  const auto refused = open(refusing).choose("m", {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, Not(HasSubstr("sk-secret")));
  EXPECT_EQ(*refusing.seen().at(0).header("authorization"), "Bearer sk-secret-1");
}

TEST_F(ServedModelsTest, R8_LoadingIsDoneOnceAndOnlyWhatIsNotLoaded) {
  Server server({Server::status(404)});
  std::atomic<bool> loaded = false;
  server.route("/api/v1/models", [&](const Server::Exchange& exchange) {
    Server::status(200, loaded ? R"({"models":[{"key":"m","loaded_instances":[{"id":"m"}]}]})"
                               : R"({"models":[{"key":"m","loaded_instances":[]}]})")(exchange);
  });
  server.route("/api/v1/models/load", [&](const Server::Exchange& exchange) {
    loaded = true;
    Server::status(200, R"({"status":"loaded"})")(exchange);
  });
  ServedModels& list = open(server);
  std::vector<std::future<bool>> callers;
  for (int i = 0; i < 4; ++i) callers.push_back(std::async(std::launch::async, [&] { return list.load("m", {}).has_value(); }));
  for (auto& caller : callers) EXPECT_TRUE(caller.get());
  const auto paths = server.paths();
  EXPECT_EQ(std::ranges::count(paths, "/api/v1/models/load"), 1) << "a second load makes a second instance";
  EXPECT_EQ(list.load("other", {}).error().code, "MODEL_NOT_FOUND");
}

TEST_F(ServedModelsTest, AServerThatCannotLoadSaysSo) {
  Server server({Server::status(404)});
  server.route("/v1/models", Server::status(200, R"({"data":[{"id":"m"}]})"));
  EXPECT_EQ(open(server).load("m", {}).error().kind, ErrorKind::refused);
  Server old({Server::status(404)});
  old.route("/api/v0/models", Server::status(200, R"({"data":[{"id":"m","state":"not-loaded"}]})"));
  EXPECT_FALSE(open(old).load("m", {})) << "LM Studio before 0.4 has no way to load";
}

TEST_F(ServedModelsTest, CancellingEndsTheRequest) {
  Server silent({[&](const Server::Exchange& exchange) { silent.silence()(exchange); }});
  ServedModels& list = open(silent);
  std::atomic<bool> stop = false;
  auto asked = std::async(std::launch::async, [&] { return list.choose("m", [&] { return stop.load(); }); });
  silent.wait_for_requests(1);
  stop = true;
  EXPECT_EQ(asked.get().error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace holdfast::model
