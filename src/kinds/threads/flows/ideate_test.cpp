// Ideate (threads-and-research §9): the phases, what each needs, and the links between ideas and clusters (lesson 10).

#include "kinds/threads/flows/idea_board.h"
#include "kinds/threads/test_threads.h"

#include <set>

namespace holdfast::threads {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

JsonObject object(const std::string& text) {
  return parse_json(text).value().as_object();
}

IdeaBoard board(int ideas = 4) {
  IdeaBoard made;
  made.criteria = {"novelty", "impact"};
  for (int i = 1; i <= ideas; ++i) made.add_ideas(i % 2 ? "technical" : "creative", {"idea " + std::to_string(i)});
  return made;
}

TEST(IdeaBoard, IdeasAreToldApartByTheirText) {
  IdeaBoard made = board(2);
  EXPECT_EQ(made.add_ideas("x", {"IDEA 1", " idea 3 ", "", "idea 3"}), 1U);
  EXPECT_EQ(made.ideas.back().id, "i3");
}

TEST(IdeaBoard, P17_Lesson10_AnIdeaIsLinkedToItsCluster) {
  IdeaBoard made = board();
  ASSERT_TRUE(made.set_clusters(object(
      R"({"clusters":[{"name":"first","idea_ids":["i1","i3","i99"]},{"name":"","idea_ids":["i3","i2"]},{"name":"none","idea_ids":[]}]})")));
  ASSERT_EQ(made.clusters.size(), 3U);
  EXPECT_EQ(made.ideas[0].cluster_id, "c1");
  EXPECT_EQ(made.ideas[1].cluster_id, "c2");
  EXPECT_EQ(made.ideas[2].cluster_id, "c1") << "the first that names it";
  EXPECT_EQ(made.ideas[3].cluster_id, made.clusters[2].id);
  EXPECT_EQ(made.clusters[2].name, "other");
  const IdeaBoard before = made;
  EXPECT_FALSE(made.set_clusters(object(R"({"clusters":[{"name":"x","idea_ids":["nothing"]}]})")));
  EXPECT_EQ(to_json(made.to_json()), to_json(before.to_json()));
}

TEST(IdeaBoard, ScoresAreAveragedPerIdeaAndPerCluster) {
  IdeaBoard made = board();
  EXPECT_EQ(
      made.set_scores(object(
          R"({"scores":[{"id":"i1","novelty":"8/10","impact":6},{"id":"i2","novelty":20,"impact":-4},{"id":"i3","novelty":3},{"id":"x","novelty":1}]})")),
      2U);
  EXPECT_EQ(made.average_of("i1"), 7);
  EXPECT_EQ(made.average_of("i2"), 5) << "10 and 0: scores have bounds";
  EXPECT_EQ(made.average_of("i4"), std::nullopt);
  EXPECT_THAT(made.best(2), ElementsAre("i1", "i2"));
  made.cluster_by_perspective();
  EXPECT_EQ(made.average_of("c1"), 5) << "7 and 3";
  EXPECT_EQ(made.average_of("c2"), 5);
  EXPECT_THAT(made.best(1), ElementsAre("c1")) << "ties in their order";
}

TEST(IdeaBoard, IsTheSameAfterBeingKept) {
  IdeaBoard made = board();
  made.topic = "boats";
  made.perspectives = {"technical"};
  made.set_scores(object(R"({"scores":[{"id":"i1","novelty":8.5,"impact":6}]})"));
  made.cluster_by_perspective();
  made.selected = {"c1"};
  made.elaborations = {{"c1", "text"}};
  made.phase = IdeatePhase::elaboration;
  EXPECT_EQ(to_json(IdeaBoard::from_json(made.to_json()).to_json()), to_json(made.to_json()));
}

struct IdeateTest : ThreadsTest {
  IdeateTest() {
    answer_with([](const model::Ask& ask) -> Result<model::Reply> {
      const std::string& wanted = ask.messages.back().content;
      if (wanted.find("different ideas") != wanted.npos) {
        for (const char* perspective : {"technical", "creative", "practical", "visionary"})
          if (wanted.find(std::string(perspective) + " perspective") != wanted.npos)
            return Models::reply(R"({"ideas":[")" + std::string(perspective) + R"( one",")" + perspective + R"( two"]})");
      }
      if (wanted.find("clusters") != wanted.npos)
        return Models::reply(
            R"({"clusters":[{"name":"A","idea_ids":["i1","i2","i3"]},{"name":"B","idea_ids":["i4","i5"]},{"name":"C","idea_ids":["i6","i7","i8"]}]})");
      if (wanted.find("Score") != wanted.npos) {
        std::string rows;
        for (int i = 1; i <= 8; ++i)
          rows += (i > 1 ? "," : "") + std::string(R"({"id":"i)") + std::to_string(i) + R"(","novelty":)" + std::to_string(i) +
                  R"(,"feasibility":)" + std::to_string(i) + R"(,"impact":)" + std::to_string(i) + "}";
        return Models::reply(R"({"scores":[)" + rows + "]}");
      }
      return Models::reply(R"({"text":"Do it like this."})");
    });
  }
  Result<StepOutcome> call(const std::string& action, const std::string& thread_id = {}, std::vector<std::string> ids = {}) {
    IdeateRequest request;
    request.action = action;
    request.thread_id = thread_id;
    if (thread_id.empty()) request.topic = "boats";
    request.ids = std::move(ids);
    return threads->ideate(who, request);
  }
};

TEST_F(IdeateTest, P9_ThePhasesFollowEachOther) {
  const auto generated = must(call("generate"));
  ASSERT_FALSE(generated.failure);
  const std::string id = generated.thread_id;
  EXPECT_EQ(generated.data.at("phase"), "divergent");
  EXPECT_EQ(generated.data.at("idea_count"), 8);
  EXPECT_EQ(to_json(generated.data.at("perspectives")), R"(["technical","creative","practical","visionary"])");
  EXPECT_EQ(record(id).aspect, "ideate");
  EXPECT_EQ(messages(id).at(0).content, "boats");

  const auto clustered = must(call("cluster", id));
  EXPECT_EQ(clustered.data.at("phase"), "convergent");
  EXPECT_EQ(clustered.data.at("cluster_count"), 3);
  const auto scored = must(call("score", id));
  EXPECT_EQ(scored.data.at("phase"), "convergent");
  EXPECT_EQ(to_json(scored.data.at("criteria")), R"(["novelty","feasibility","impact"])");
  EXPECT_EQ(scored.data.at("clusters").at(1).at("average"), 4.5);

  const auto selected = must(call("select", id));
  EXPECT_EQ(selected.data.at("phase"), "selection");
  EXPECT_EQ(to_json(selected.data.at("selected")), R"(["c3","c2"])") << "the two best averages";
  const auto elaborated = must(call("elaborate", id));
  EXPECT_EQ(elaborated.data.at("phase"), "elaboration");
  EXPECT_EQ(elaborated.data.at("elaborations").as_array().size(), 2U);
  EXPECT_EQ(elaborated.data.at("elaborations").at(0).at("text"), "Do it like this.");
  EXPECT_EQ(elaborated.data.at("step_count"), 5);
}

TEST_F(IdeateTest, P9_EachStepRefusesWhenItsInputIsMissing) {
  NewThread thread;
  thread.kind = "ideate";
  thread.title = "boats";
  const std::string empty = must(threads->create(who, thread)).id;
  for (const char* action : {"cluster", "score", "select", "elaborate"}) {
    EXPECT_EQ(code_of(call(action, empty)), "VALIDATION_ERROR") << action;
    EXPECT_EQ(code_of(call(action)), "VALIDATION_ERROR") << action << " without a thread";
  }
  EXPECT_EQ(record(empty).count_of("step"), 0);
  EXPECT_THAT(models->asks(), IsEmpty());
  const std::string id = must(call("generate")).thread_id;
  EXPECT_THAT(call("select", id).error().message, HasSubstr("scores"));
  EXPECT_THAT(call("elaborate", id).error().message, HasSubstr("selection"));
  EXPECT_THAT(call("select", id, {"i1", "i99"}).error().message, HasSubstr("i99"));
}

TEST_F(IdeateTest, P9_SelectTakesIdsOrTheTwoBestIdeas) {
  const std::string id = must(call("generate")).thread_id;
  must(call("score", id));
  EXPECT_EQ(to_json(must(call("select", id)).data.at("selected")), R"(["i8","i7"])");
  EXPECT_EQ(to_json(must(call("select", id, {"i1"})).data.at("selected")), R"(["i1"])");
  const std::size_t asked = models->asks().size();
  EXPECT_EQ(to_json(must(call("status", id)).data.at("selected")), R"(["i1"])");
  EXPECT_EQ(models->asks().size(), asked);
}

TEST_F(IdeateTest, AStatusChangesNothing) {
  const std::string id = must(call("generate")).thread_id;
  const auto rev = record(id).rev;
  EXPECT_EQ(must(call("status", id)).data.at("idea_count"), 8);
  EXPECT_EQ(record(id).rev, rev);
}

TEST_F(IdeateTest, P10_WithoutReadableClustersThePerspectivesSortThem) {
  const std::string id = must(call("generate")).thread_id;
  answer_in_turn({"no idea"});
  const auto clustered = must(call("cluster", id));
  EXPECT_FALSE(clustered.failure);
  EXPECT_EQ(clustered.data.at("cluster_count"), 4);
  EXPECT_THAT(clustered.warnings, Contains(HasSubstr("perspective")));
}

TEST_F(IdeateTest, ScoresAreNeverInvented) {
  const std::string id = must(call("generate")).thread_id;
  const auto before = record(id).rev;
  answer_in_turn({R"({"scores":"all good"})"});
  const auto scored = must(call("score", id));
  ASSERT_TRUE(scored.failure);
  EXPECT_EQ(scored.failure->code, "PROVIDER_ERROR");
  EXPECT_EQ(record(id).rev, before);
}

TEST_F(IdeateTest, ManyIdeasAreScoredInPortionsThatFitAnAnswer) {
  std::vector<std::size_t> portions;
  answer_with([&](const model::Ask& ask) {
    const std::string& wanted = ask.messages.back().content;
    std::string items;
    if (wanted.find("Score") == wanted.npos) {
      for (int i = 0; i < 60; ++i) items += (i ? ",\"" : "\"") + std::to_string(i) + std::string(600, 'x') + '"';
      return Models::reply("{\"ideas\":[" + items + "]}");
    }
    EXPECT_LT(model::estimate_tokens(wanted), 8192 * 3 / 4);
    std::size_t rows = 0;
    for (int i = 1; i <= 60; ++i) {
      if (wanted.find("i" + std::to_string(i) + ":") == wanted.npos) continue;
      items += (rows++ ? "," : "") + std::string("{\"id\":\"i") + std::to_string(i) + "\",\"fun\":5}";
    }
    portions.push_back(rows);
    return Models::reply("{\"scores\":[" + items + "]}");
  });
  IdeateRequest request;
  request.topic = "boats";
  request.perspectives = {"one"};
  request.criteria = {"fun"};
  const auto made = must(threads->ideate(who, request));
  EXPECT_EQ(made.data.at("idea_count"), 60);
  const auto scored = must(call("score", made.thread_id));
  EXPECT_THAT(portions, ElementsAre(25U, 25U, 10U));
  EXPECT_THAT(scored.warnings, IsEmpty());
}

TEST_F(IdeateTest, OnePerspectiveThatFailsDoesNotTakeTheOthersAlong) {
  answer_with([](const model::Ask& ask) -> Result<model::Reply> {
    if (ask.messages.back().content.find("creative perspective") != std::string::npos)
      return fail(ErrorKind::unavailable, "down", {}, "PROVIDER_ERROR");
    return Models::reply(R"({"ideas":[{"text":"idea )" + std::to_string(std::hash<std::string>{}(ask.messages.back().content)) +
                         R"("}]})");
  });
  const auto generated = must(call("generate"));
  EXPECT_FALSE(generated.failure);
  EXPECT_THAT(generated.warnings, Contains(HasSubstr("creative")));
  EXPECT_EQ(generated.data.at("idea_count"), 3);

  answer_with(
      [](const model::Ask&) -> Result<model::Reply> { return fail(ErrorKind::unavailable, "down", {}, "PROVIDER_ERROR"); });
  const auto failed = must(call("generate"));
  ASSERT_TRUE(failed.failure);
  EXPECT_EQ(messages(failed.thread_id).size(), 1U) << "the topic is kept";
}

TEST_F(IdeateTest, OtherPerspectivesAndCriteriaMayBeNamed) {
  answer_in_turn({R"({"ideas":["one","two"]})", R"({"scores":[{"id":"i1","fun":9},{"id":"i2","fun":2}]})"});
  IdeateRequest request;
  request.topic = "boats";
  request.perspectives = {"child"};
  const auto made = must(threads->ideate(who, request));
  EXPECT_EQ(models->asks().size(), 1U);
  request = {};
  request.thread_id = made.thread_id;
  request.action = "score";
  request.criteria = {"fun"};
  EXPECT_EQ(must(threads->ideate(who, request)).data.at("ideas").at(0).at("average"), 9.0);
  request.criteria.assign(11, "x");
  request.action = "dream";
  const auto refused = threads->ideate(who, request);
  EXPECT_EQ(code_of(refused), "VALIDATION_ERROR");
  EXPECT_THAT(refused.error().message, testing::AllOf(HasSubstr("ideate_action"), HasSubstr("criteria")));
}

}  // namespace
}  // namespace holdfast::threads
