#include "reading/export.h"

#include "base/files/test_folder.h"
#include "reading/entry_reading.h"
#include "reading/html/prompt_table.h"
#include "reading/html/test_markup.h"
#include "session/kinds.h"
#include "store/open.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::reading {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const std::string kHostile = "<script>alert(1)</script> \u202E \x1b[31m ghp_secret";

// A session whose turns are given.
class MadeReading final : public Reading {
 public:
  MadeReading() {
    heading_.id = "id-1";
    heading_.kind = "transcript";
    heading_.title = kHostile;
    heading_.resume_command = "cd / && claude --resume id-1";
    heading_.subagents = {{"agent-a1", "Explore", kHostile}};
    for (std::uint64_t line = 1; line <= 120; ++line) {
      Turn turn;
      turn.line = line;
      turn.prompt = line % 10 == 1;
      turn.role = turn.prompt ? Role::user : Role::assistant;
      Part part;
      part.line = line;
      part.text.text = fmt::format("words {} {}", line, kHostile);
      turn.parts.push_back(part);
      if (line == 2) {
        part.kind = Part::Kind::tool_call;
        part.name = "Bash";
        part.arguments = {{"command", "git commit -m x; echo " + kHostile}};
        part.result.emplace();
        part.result->output.text = "[main 1a2b3c4d] Say it " + kHostile + "\n 1 file changed\n";
        part.subagent = heading_.subagents.front();
        part.images = {{"image/png", "2/0", "iVBORw0KGgo="}, {"image/svg+xml", "2/1", "PHN2Zz4="}};
        turn.parts.push_back(part);
      }
      turns_.push_back(std::move(turn));
    }
  }
  void add(const std::vector<Turn>& more) { turns_.insert(turns_.end(), more.begin(), more.end()); }
  const Heading& heading() const override { return heading_; }
  Result<Window> window(const WindowQuery& query) override {
    Window window;
    const std::size_t from = query.from == 0 ? 0 : query.from - 1;
    for (std::size_t i = from; i < turns_.size() && i < from + query.turns; ++i) window.turns.push_back(turns_[i]);
    if (from + query.turns < turns_.size()) window.next = from + query.turns + 1;
    window.last_line = turns_.size();
    return window;
  }
  Result<std::unique_ptr<Reading>> subagent(std::string_view) override {
    auto inner = std::make_unique<MadeReading>();
    inner->turns_.resize(3);
    inner->heading_.subagents.clear();
    return inner;
  }

 private:
  Heading heading_;
  std::vector<Turn> turns_;
};

std::string exported(const ExportOptions& options, Exported* told = nullptr) {
  MadeReading reading;
  std::string text;
  const auto done = export_session(reading, options, [&](std::string_view bytes) -> Result<void> {
    text += bytes;
    return {};
  });
  EXPECT_TRUE(done);
  EXPECT_EQ(done->bytes, text.size());
  if (told) *told = *done;
  return text;
}

TEST(Export, HtmlStandsOnItsOwn) {
  ExportOptions options;
  options.subagents = true;
  Exported told;
  const std::string html = exported(options, &told);
  EXPECT_EQ(told.turns, 123u);
  EXPECT_EQ(told.prompts, 12u);
  EXPECT_EQ(told.subagents, 1u);
  EXPECT_THAT(html, testing::StartsWith("<!doctype html>"));
  EXPECT_THAT(html, HasSubstr("default-src &#39;none&#39;; img-src data:; style-src &#39;sha256-"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("\u202E")));
  EXPECT_THAT(html, HasSubstr("<a href=\"#msg-11\">words 11"));
  EXPECT_THAT(html, HasSubstr("id=\"msg-120\""));
  EXPECT_THAT(html, HasSubstr("commit <code>1a2b3c4d</code>"));
  EXPECT_THAT(html, HasSubstr("src=\"data:image/png;base64,iVBORw0KGgo=\""));
  EXPECT_THAT(html, Not(HasSubstr("PHN2Zz4=")));
  EXPECT_THAT(html, HasSubstr("href=\"#agent-agent-a1\""));
  EXPECT_THAT(html, HasSubstr("<section id=\"agent-agent-a1\">"));
  EXPECT_THAT(html, HasSubstr("id=\"agent-agent-a1-msg-1\""));
  // What follows the style is ours and the session's.
  const std::string body = html.substr(html.find("</style>") + 8);
  EXPECT_EQ(wrong_markup(body), "");
}

TEST(Export, MarkdownAndJson) {
  ExportOptions options;
  options.format = ExportFormat::markdown;
  const std::string plain = exported(options);
  EXPECT_THAT(plain, HasSubstr("words 120"));
  EXPECT_THAT(plain, Not(HasSubstr("git commit")));
  options.detailed = true;
  EXPECT_THAT(exported(options), HasSubstr("git commit"));
  options.format = ExportFormat::json;
  const auto json = parse_json(exported(options));
  ASSERT_TRUE(json);
  EXPECT_EQ(find_array(json->get_object(), "turns")->size(), 120u);
}

TEST(Export, MarkdownIsSafeNamesBranchesAndShowsACompactionOnce) {
  MadeReading reading;
  Turn boundary, summary;
  boundary.line = 121;
  boundary.role = Role::system;
  boundary.meta = boundary.compaction = true;
  summary = boundary;
  summary.line = 122;
  Part part;
  part.kind = Part::Kind::notice;
  part.name = "Summary of what came before";
  part.text.text = "we fixed ```the``` header";
  summary.parts.push_back(part);
  Turn answer;
  answer.line = 123;
  answer.role = Role::assistant;
  part.kind = Part::Kind::text;
  part.text.text = "look:\n```\nunclosed";
  answer.parts.push_back(part);
  answer.forks = {{7, "the *other* way <b>"}};
  Turn last = boundary;
  last.line = 124;
  reading.add({boundary, summary, answer, last});
  ExportOptions options;
  options.format = ExportFormat::markdown;
  std::string text;
  ASSERT_TRUE(export_session(reading, options, [&](std::string_view bytes) -> Result<void> {
    text += bytes;
    return {};
  }));
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, HasSubstr("&lt;script"));
  const std::string end = text.substr(text.find("words 120"));
  std::size_t compactions = 0;
  for (std::size_t at = end.find("## Compacted here"); at != std::string::npos; at = end.find("## Compacted here", at + 1))
    ++compactions;
  EXPECT_EQ(compactions, 2U) << "one with its summary, one that has none\n" << end;
  EXPECT_THAT(end, HasSubstr("````\nwe fixed ```the``` header\n````"));
  EXPECT_THAT(end, HasSubstr("unclosed\n```\n"));
  EXPECT_THAT(end, HasSubstr("Another branch leaves here, at line 7: the \\*other\\* way &lt;b\\>"));
  EXPECT_TRUE(end.ends_with("## Compacted here\n\n")) << end;
}

TEST(Export, AFilterReachesEveryText) {
  for (const ExportFormat format : {ExportFormat::html, ExportFormat::markdown, ExportFormat::json}) {
    ExportOptions options;
    options.format = format;
    options.detailed = options.subagents = true;
    options.filter = [](std::string_view text) {
      std::string out(text);
      for (std::size_t at; (at = out.find("ghp_secret")) != std::string::npos;) out.replace(at, 10, "[masked]");
      return out;
    };
    EXPECT_THAT(exported(options), Not(HasSubstr("ghp_secret")));
  }
}

TEST(Export, StopsWhenAsked) {
  MadeReading reading;
  ExportOptions options;
  options.progress = [](std::uint64_t, std::uint64_t) { return false; };
  EXPECT_EQ(export_session(reading, options, [](std::string_view) { return Result<void>(); }).error().kind, ErrorKind::cancelled);
}

TEST(PromptTable, FindsCommits) {
  const auto commits =
      commits_in("x\n[main (root-commit) 0123456] First\n[feature/x abcdef0123] Second line\n[not a commit] x\n[a zzzzzzz] y");
  ASSERT_THAT(commits, SizeIs(2));
  EXPECT_EQ(commits[0].branch, "main");
  EXPECT_EQ(commits[1].hash, "abcdef0123");
  EXPECT_EQ(commits[1].words, "Second line");
}

TEST(EntryReading, WindowsOfAStoredSession) {
  const TestFolder folder;
  auto store = store::open_store("sqlite:" + folder / "s.db").value();
  const auto record = store
                          ->write([](session::Transaction& transaction) -> Result<session::SessionRecord> {
                            session::SessionRecord made;
                            made.id = "x-1";
                            made.kind = "brand-new";
                            made.status = "active";
                            HF_CHECK(transaction.create(made));
                            for (int i = 1; i <= 130; ++i) {
                              session::NewEntry entry;
                              entry.type = "word";
                              entry.text = fmt::format("entry {}", i);
                              HF_CHECK(transaction.append("x-1", entry));
                            }
                            return transaction.get("x-1");
                          })
                          .value();
  const auto reading = open_entries(*store, record, {});
  std::size_t seen = 0;
  ASSERT_TRUE(each_window(*reading, {}, [&](Window& window) -> Result<void> {
    for (const Turn& turn : window.turns) {
      EXPECT_EQ(turn.line, ++seen);
      EXPECT_EQ(turn.parts.front().text.text, fmt::format("entry {}", seen));
    }
    return {};
  }));
  EXPECT_EQ(seen, 130u);
  WindowQuery query;
  query.before = kToTheEnd;
  const Window last = reading->window(query).value();
  EXPECT_THAT(last.turns, SizeIs(kTurnsOfWindow));
  EXPECT_EQ(last.turns.back().line, 130u);
  EXPECT_FALSE(last.next);
  query.before = *last.previous;
  const Window middle = reading->window(query).value();
  EXPECT_EQ(middle.turns.back().line + 1, last.turns.front().line);
  EXPECT_EQ(middle.next, last.turns.front().line);
  query = {};
  query.from = 131;
  EXPECT_THAT(reading->window(query).value().turns, IsEmpty());
}

}  // namespace
}  // namespace holdfast::reading
