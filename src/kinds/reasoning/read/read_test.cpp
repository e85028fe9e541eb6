// Reading, structure, analysis, export, brief and graph of one session (reasoning-sessions §6).

#include "kinds/reasoning/read/read.h"

#include "kinds/reasoning/anchors.h"
#include "kinds/reasoning/begin.h"
#include "kinds/reasoning/read/brief.h"
#include "kinds/reasoning/read/export.h"
#include "kinds/reasoning/read/graph.h"
#include "kinds/reasoning/test_ledger.h"
#include "kinds/reasoning/thought.h"

namespace holdfast::reasoning {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

struct ReadTest : LedgerTest {
  // 1..4 on the main chain, branch a from 2 (3, 4), 5 revises 3, 6 revises 5.
  void make() {
    for (int i = 1; i <= 4; ++i) add("main " + std::to_string(i));
    for (int i = 0; i < 2; ++i) {
      ThoughtRequest request = thought("branch " + std::to_string(i));
      request.branch = "a";
      request.branch_from = 2;
      append(caller, request);
    }
    revise("better 3, see S2", 3);
    id = revise("best 3", 5);
  }
  void add(std::string text) { id = append(caller, std::move(text)).record.id; }
  std::string revise(std::string text, std::int64_t target) {
    ThoughtRequest request = thought(std::move(text));
    request.revises = target;
    return append(caller, request).record.id;
  }
  void typed(const std::string& type, const std::string& text, const std::string& arguments) {
    ThoughtRequest request = thought(text);
    request.type = type;
    request.payload = must(read_payload(*find_type(type), parse_json(arguments).value().as_object()));
    id = append(caller, request).record.id;
  }
  session::SessionRecord record() { return must(store->get(id)); }
  std::vector<std::string> texts(const std::vector<Thought>& thoughts) {
    std::vector<std::string> out;
    for (const Thought& each : thoughts) out.push_back(each.text);
    return out;
  }
  std::vector<std::string> read(const ReadRequest& request) {
    return texts(must(read_thoughts(*store, record(), request)).thoughts);
  }

  Situation caller = connect("c1");
  std::string id;
};

TEST_F(ReadTest, TheLastFiveByDefault) {
  make();
  EXPECT_THAT(read({}), ElementsAre("main 4", "branch 0", "branch 1", "better 3, see S2", "best 3"));
}

TEST_F(ReadTest, ANumberOfABranchIsTheBranchs) {
  make();
  ReadRequest request;
  request.number = 3;
  EXPECT_THAT(read(request), ElementsAre("main 3"));
  request.branch = "a";
  EXPECT_THAT(read(request), ElementsAre("branch 0"));
}

TEST_F(ReadTest, RangesAndBranches) {
  make();
  ReadRequest request;
  request.range = {2, 4};
  EXPECT_THAT(read(request), ElementsAre("main 2", "main 3", "main 4"));
  request.branch = "a";
  EXPECT_THAT(read(request), ElementsAre("branch 0", "branch 1"));
  request.branch = "none";
  const ReadAnswer answer = must(read_thoughts(*store, record(), request));
  EXPECT_THAT(answer.thoughts, IsEmpty());
  EXPECT_THAT(answer.available_branches, ElementsAre("a"));
  request.range = {4, 2};
  EXPECT_FALSE(read_thoughts(*store, record(), request));
}

TEST_F(ReadTest, AFilterAloneLooksAtTheWholeSession) {
  typed("question", "why?", "{}");
  for (int i = 0; i < 10; ++i) add("t" + std::to_string(i));
  ReadRequest request;
  request.type = "question";
  const ReadAnswer answer = must(read_thoughts(*store, record(), request));
  EXPECT_THAT(texts(answer.thoughts), ElementsAre("why?"));
  EXPECT_EQ(answer.unfiltered, 11);
}

TEST_F(ReadTest, U4_ReadingMovesNothing) {
  make();
  const session::SessionRecord before = record();
  clock->advance(1000);
  read({});
  must(structure_of(*store, before));
  EXPECT_EQ(record().updated_at, before.updated_at);
  EXPECT_EQ(record().rev, before.rev);
}

TEST_F(ReadTest, QueriesByRelation) {
  make();
  ThoughtQuery revisions;
  revisions.revisions_of = 3;
  EXPECT_THAT(texts(must(query_thoughts(*store, record(), revisions))), ElementsAre("main 3", "better 3, see S2", "best 3"));
  ThoughtQuery references;
  references.references = 2;
  EXPECT_THAT(texts(must(query_thoughts(*store, record(), references))), ElementsAre("better 3, see S2"));
  ThoughtQuery both = references;
  both.type = "reasoning";
  EXPECT_FALSE(query_thoughts(*store, record(), both));
  EXPECT_FALSE(query_thoughts(*store, record(), {}));
  ThoughtQuery range;
  range.start = 2;
  EXPECT_FALSE(query_thoughts(*store, record(), range));
}

TEST_F(ReadTest, Citations) {
  EXPECT_TRUE(cites("as in S12.", 12));
  EXPECT_TRUE(cites("S10-S14", 12));
  EXPECT_FALSE(cites("S123", 12));
  EXPECT_FALSE(cites("CSS12", 12));
  EXPECT_FALSE(cites("S12a", 12));
}

TEST_F(ReadTest, StructureHasNoText) {
  make();
  const JsonObject structure = must(structure_of(*store, record()));
  EXPECT_EQ(to_json(structure.at("mainChain")), R"({"length":6,"head":1,"tail":6})");
  EXPECT_EQ(to_json(structure.at("branches")), R"({"a":{"forks":2,"range":[3,4],"length":2,"status":"active"}})");
  EXPECT_EQ(to_json(structure.at("revisions")), "[[5,3],[6,5]]");
  EXPECT_THAT(to_json(structure), Not(HasSubstr("main 1")));
}

TEST_F(ReadTest, AnalysisCountsAllThoughts) {
  make();
  const JsonObject analysis = must(analyse(*store, record(), clock->now()));
  EXPECT_EQ(find_object(analysis, "metadata")->at("thoughtCount").as_int64(), 8);
  EXPECT_DOUBLE_EQ(find_object(analysis, "structure")->at("linearityScore").as_double(), 0.5);
  EXPECT_EQ(find_object(analysis, "structure")->at("maxDepth").as_int64(), 6);
  EXPECT_TRUE(find_object(analysis, "quality")->at("hasConvergence").as_bool());
  for (const auto& [name, value] : *find_object(analysis, "structure"))
    EXPECT_TRUE(name == "branchCount" || find_object(analysis, "definitions")->contains(name)) << name;
}

TEST_F(ReadTest, X1_EveryFormatHasTheBranches) {
  make();
  for (const char* format : {"markdown", "json", "cipher"}) {
    ExportOptions options;
    options.format = format;
    const std::string text = must(export_session(*store, record(), options, clock->now()));
    EXPECT_THAT(text, HasSubstr("branch 1")) << format;
    EXPECT_THAT(text, HasSubstr("main 4")) << format;
  }
  ExportOptions unknown;
  unknown.format = "pdf";
  EXPECT_FALSE(export_session(*store, record(), unknown, clock->now()));
}

TEST_F(ReadTest, X3_NodesAreLinkedBothWaysAfterARestart) {
  make();
  open();
  ExportOptions options;
  options.format = "json";
  const JsonObject whole = parse_json(must(export_session(*store, record(), options, clock->now()))).value().as_object();
  std::map<std::string, JsonObject> nodes;
  for (const Json& node : *find_array(whole, "nodes"))
    nodes[std::string(*find_string(node.as_object(), "id"))] = node.as_object();
  const auto node = [&](const std::string& place) { return nodes.at(id + ":" + place); };
  EXPECT_EQ(to_json(node("2").at("next")), "[\"" + id + ":3\",\"" + id + ":a:3\"]");
  EXPECT_EQ(to_json(node("a:4").at("prev")), "\"" + id + ":a:3\"");
  EXPECT_EQ(to_json(node("a:3").at("branchOrigin")), "\"" + id + ":2\"");
  EXPECT_EQ(to_json(find_object(node("3"), "revisionMetadata")->at("revisedBy")), "[5]");
  EXPECT_EQ(find_object(node("6"), "revisionMetadata")->at("revisionDepth").as_int64(), 2);
  EXPECT_EQ(to_json(find_object(node("6"), "revisionMetadata")->at("revisionChainId")), "\"" + id + ":3\"");
  EXPECT_TRUE(node("1").at("prev").is_null());
}

TEST_F(ReadTest, X4_AnchorsAreResolvedOrSaidNotToBe) {
  ThoughtRequest other = thought("one");
  other.session_title = "Retry policy of the client";
  other.session_tags = {"retries"};
  const std::string target = append(connect("c2"), other).record.id;
  attached.insert("c2");
  add("see @retries:S1 and @retry.policy:S1-S3 and @nothing:S4");
  ExportOptions options;
  options.format = "json";
  const JsonObject whole = parse_json(must(export_session(*store, record(), options, clock->now()))).value().as_object();
  const JsonArray& references = *find_array(whole, "crossReferences");
  ASSERT_EQ(references.size(), 3U);
  EXPECT_EQ(find_string(references[0].as_object(), "via"), "tag");
  EXPECT_EQ(find_string(references[0].as_object(), "sessionId"), target);
  EXPECT_EQ(find_string(references[1].as_object(), "via"), "title");
  EXPECT_EQ(to_json(references[1].as_object().at("missing")), "[2,3]");
  EXPECT_EQ(find_string(references[2].as_object(), "status"), "unresolved");
  must(store->write([&](session::Transaction& t) { return set_alias(t, "local", "nothing", target); }));
  const JsonObject again = parse_json(must(export_session(*store, record(), options, clock->now()))).value().as_object();
  EXPECT_EQ(find_string((*find_array(again, "crossReferences"))[2].as_object(), "via"), "alias");
}

TEST_F(ReadTest, BriefHoldsWhatIsStillInForce) {
  add("Make retries safe. Then measure.");
  typed("decision_frame", "use jitter",
        R"({"confidence":"high","options":[{"label":"jitter","selected":true},{"label":"none","selected":false}]})");
  typed("assumption_update", "not idempotent after all",
        R"({"assumptionChange":{"text":"PUT is idempotent","oldStatus":"believed","newStatus":"refuted","trigger":"test 7"}})");
  typed("question", "what about POST?", "{}");
  typed("progress", "half", R"({"progressData":{"task":"client","status":"in_progress"}})");
  typed("progress", "whole", R"({"progressData":{"task":"server","status":"done"}})");
  const Brief brief = must(make_brief(*store, record(), {}, clock->now()));
  for (const char* part : {"Make retries safe", "jitter (high confidence)", "PUT is idempotent (because test 7)",
                           "what about POST?", "client: in_progress", "Next number 7"})
    EXPECT_THAT(brief.text, HasSubstr(part));
  EXPECT_THAT(brief.text, Not(HasSubstr("server: done")));
  EXPECT_FALSE(brief.cut);
}

TEST_F(ReadTest, BriefForgetsWhatWasRevisedAndKeepsItsBudget) {
  typed("decision_frame", "first choice", R"({"confidence":"low","options":[{"label":"old-way","selected":true}]})");
  ThoughtRequest better = thought("changed my mind");
  better.revises = 1;
  append(caller, better);
  for (int i = 0; i < 100; ++i) typed("question", "question number " + std::to_string(i) + std::string(200, 'x'), "{}");
  BriefOptions options;
  options.max_chars = 1500;
  const Brief brief = must(make_brief(*store, record(), options, clock->now()));
  EXPECT_THAT(brief.text, Not(HasSubstr("old-way")));
  EXPECT_LE(brief.text.size(), 1500U);
  EXPECT_TRUE(brief.cut);
}

TEST_F(ReadTest, GraphShowsBranchesAndRevisions) {
  make();
  add("<script>alert(1)</script>");
  const Graph graph = must(read_graph(*store, record()));
  const std::string text = graph_text(graph, 0);
  EXPECT_THAT(text, HasSubstr("│ ● a:3 from 2 branch 0"));
  EXPECT_THAT(text, HasSubstr("◆   5 revises 3"));
  const std::string svg = graph_svg(graph, "A & B");
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
  EXPECT_THAT(svg, HasSubstr("A &amp; B"));
}

TEST_F(ReadTest, GraphTextKeepsToTheWidth) {
  add(std::string(500, 'w'));
  EXPECT_LE(graph_text(must(read_graph(*store, record())), 60).size(), 80U);
}

}  // namespace
}  // namespace holdfast::reasoning
