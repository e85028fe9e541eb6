// The rewriter against a slow one that parses, changes and compares meanings; and what holds for any record.

#include "base/files/file.h"
#include "base/files/test_data.h"
#include "base/ids.h"
#include "base/json/json.h"
#include "kinds/transcripts/rewrite/identity.h"
#include "kinds/transcripts/rewrite/test_rewrite.h"

#include <filesystem>
#include <random>

namespace holdfast::transcripts {
namespace {

#ifdef HOLDFAST_SANITIZED
constexpr int kRecords = 1'000;
#else
constexpr int kRecords = 3'000;
#endif

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// The rules of transcript-archive §5 and §6 in the plainest way.
class Reference {
 public:
  Reference(Identity identity, PathLevel level) : identity_(std::move(identity)), level_(level), paths_(test_paths()) {}

  // nullopt: the record is dropped.
  std::optional<Json> record(const JsonObject& original) {
    if (!identity_.keeps_id() && text_at(original, "type") == "bridge-session") return std::nullopt;
    Json copy = value(Json(original));
    const auto uuid = find_string(original, "uuid");
    const bool thinking = text_at(original, "type") == "thinking" || text_at(original, "type") == "redacted_thinking";
    if (identity_.fresh_uuids && uuid && is_uuid(*uuid) && !original.contains("forkedFrom") && !thinking)
      copy.as_object()["forkedFrom"] = {{"sessionId", identity_.old_session}, {"messageUuid", *uuid}};
    return copy;
  }

 private:
  static std::string text_at(const JsonObject& object, std::string_view key) {
    return std::string(find_string(object, key).value_or(""));
  }

  Json value(const Json& from) {
    if (const JsonObject* object = from.if_object()) {
      const std::string type = text_at(*object, "type");
      if (type == "thinking" || type == "redacted_thinking") return from;
      JsonObject copy;
      for (const auto& [key, member] : *object) {
        names_.emplace_back(key);
        const std::string new_key = key_text(std::string(key));
        copy[new_key] = names_.back() == "forkedFrom" ? member : value(member);
        names_.pop_back();
      }
      return copy;
    }
    if (const JsonArray* array = from.if_array()) {
      JsonArray copy;
      names_.emplace_back("[]");
      for (const Json& element : *array) copy.push_back(value(element));
      names_.pop_back();
      return copy;
    }
    if (const auto* text = from.if_string()) return Json(string_text(std::string(view(*text))));
    return from;
  }

  std::string place() const {
    std::string joined;
    for (const std::string& name : names_) joined += "/" + name;
    return joined;
  }

  std::string key_text(std::string text) {
    const bool file = names_.size() >= 2 && names_[names_.size() - 2] == "trackedFileBackups";
    return parts(std::move(text), file, false, level_ >= PathLevel::fields);
  }

  std::string string_text(std::string text) {
    const std::string at = place();
    const bool copy = !identity_.keeps_id();
    if (at == "/sessionId" && copy) return identity_.new_session;
    if (at == "/agentId" || at == "/toolUseResult/agentId" || at == "/toolUseResult/resumedAgentId" || at == "/data/agentId" ||
        at == "/data/resumedAgentId")
      if (identity_.agents.contains(text)) return identity_.agents.at(text);
    if (at == "/slug" && identity_.slugs.contains(text)) return identity_.slugs.at(text);
    if (at == "/customTitle" && copy)
      return clone_title(replaced(text, identity_.old_session, identity_.new_session), identity_.suffix);
    const bool link = at == "/uuid" || at == "/parentUuid" || at == "/logicalParentUuid" || at == "/leafUuid" ||
                      at == "/messageId" || at == "/sourceToolAssistantUUID" || at == "/snapshot/messageId" ||
                      at.starts_with("/compactMetadata/preservedSegment/") ||
                      at.starts_with("/compactMetadata/preservedMessages/");
    if (link && identity_.fresh_uuids && is_uuid(text)) return fresh_uuid(identity_.new_session, text);
    const auto ends = [&](std::string_view end) { return at.ends_with(end); };
    const bool words = at == "/content" || at == "/summary" || at == "/lastPrompt" || at == "/customTitle" || at == "/aiTitle" ||
                       at == "/agentName" || at == "/tag" || ends("/message/content") || ends("/message/content/[]/text") ||
                       ends("/message/content/[]/thinking") || ends("/message/content/[]/content") ||
                       ends("/message/content/[]/content/[]/text");
    const bool translates = level_ == PathLevel::cwd ? at == "/cwd" || at == "/projectPaths/[]" : !words;
    return parts(std::move(text), true, words, translates && level_ != PathLevel::none);
  }

  std::string parts(const std::string& original, bool names_file, bool words, bool translates) {
    const std::string own = "/projects/" + identity_.old_folder + "/" + identity_.old_session;
    std::string text = replaced(original, own, "/projects/" + identity_.new_folder + "/" + identity_.new_session);
    bool is_own = text != original || original.contains(own);
    text = replaced(text, identity_.old_session, identity_.new_session);
    const bool blank = original.contains(' ');
    const bool control = original.find_first_of("\n\t\x01\x1b") != std::string::npos;
    const bool absolute = original.starts_with('/') || original.starts_with("~/");
    if (!names_file || control || original.empty() || (blank && (words || !absolute))) return text;
    for (const auto& [from, to] : identity_.slugs)
      for (const std::string slash : {"", "/"})
        if (text.ends_with(slash + "plans/" + from + ".md") && (slash == "/" || text == "plans/" + from + ".md"))
          return text.substr(0, text.size() - from.size() - 3) + to + ".md";
    for (const auto& [from, to] : identity_.agents) {
      const std::string name = "agent-" + from + ".jsonl", folder = "/projects/" + identity_.old_folder + "/";
      if (!text.ends_with("/" + name) && text != name) continue;
      std::string before = text.substr(0, text.size() - name.size());
      if (before.ends_with(folder))
        before.replace(before.size() - folder.size(), folder.size(), "/projects/" + identity_.new_folder + "/");
      return before + "agent-" + to + ".jsonl";
    }
    if (translates && !is_own)
      if (const auto root = paths_.root_of(original)) return root->replacement + text.substr(root->to);
    return text;
  }

  Identity identity_;
  PathLevel level_;
  PathMap paths_;
  std::vector<std::string> names_;
};

// Records out of the words that matter, in any spelling.
class RandomRecord {
 public:
  explicit RandomRecord(std::uint64_t seed) : random_(seed) {}

  std::string object(int depth = 4) {
    std::string out = "{";
    std::vector<std::string> used;
    for (std::size_t i = below(7); i > 0; --i) {
      const std::string key = pick(keys());
      if (std::ranges::find(used, key) != used.end()) continue;  // the order of equal names is the splicer's own test
      out += (used.empty() ? "" : ",") + string(key) + ":" + value(depth - 1);
      used.push_back(key);
    }
    return out + "}";
  }

 private:
  std::string value(int depth) {
    if (depth > 0 && below(3) == 0) return object(depth);
    if (depth > 0 && below(4) == 0) {
      std::string out = "[";
      for (std::size_t i = 0, count = below(4); i < count; ++i) out += (i ? "," : "") + value(depth - 1);
      return out + "]";
    }
    return below(12) == 0 ? "null" : string(text());
  }

  std::string text() {
    std::string out;
    for (std::size_t i = below(4); i > 0; --i) out += pick(words());
    return below(3) == 0 ? pick(words()) : out;
  }

  // Plain, or with some of its characters spelled oddly.
  std::string string(const std::string& meaning) {
    const bool odd = below(4) == 0;
    std::string out = "\"";
    for (const char c : meaning) {
      const bool control = static_cast<unsigned char>(c) < 0x20;
      if (control || (odd && static_cast<unsigned char>(c) < 0x80 && below(8) == 0)) {
        constexpr std::string_view kHex = "0123456789aBcDeF";
        out += "\\u00";
        out += kHex[static_cast<unsigned char>(c) >> 4];
        out += kHex[c & 15];
      } else if (c == '"' || c == '\\' || (odd && c == '/' && below(2) == 0)) {
        out += '\\';
        out += c;
      } else {
        out += c;
      }
    }
    return out + '"';
  }

  static const std::vector<std::string>& keys() {
    static const std::vector<std::string> made = {"type",
                                                  "sessionId",
                                                  "uuid",
                                                  "parentUuid",
                                                  "leafUuid",
                                                  "messageId",
                                                  "snapshot",
                                                  "trackedFileBackups",
                                                  "cwd",
                                                  "slug",
                                                  "agentId",
                                                  "customTitle",
                                                  "message",
                                                  "content",
                                                  "text",
                                                  "thinking",
                                                  "toolUseResult",
                                                  "data",
                                                  "resumedAgentId",
                                                  "forkedFrom",
                                                  "summary",
                                                  "projectPaths",
                                                  "compactMetadata",
                                                  "preservedSegment",
                                                  "preservedMessages",
                                                  "input",
                                                  kOldId,
                                                  "x" + kOldId,
                                                  kOldRoot + "/k"};
    return made;
  }
  static const std::vector<std::string>& words() {
    static const std::vector<std::string> made = {"thinking",
                                                  "redacted_thinking",
                                                  "bridge-session",
                                                  "user",
                                                  kOldId,
                                                  kOldId,
                                                  kNewId,
                                                  kAgent,
                                                  kSlug,
                                                  "b-clone-11111111",
                                                  "5271c147-0000-4000-8000-000000000001",
                                                  "99999999-0000-4000-8000-000000000002",
                                                  kOldRoot,
                                                  kOldRoot + "/src/a.c",
                                                  kOldRoot + "-old",
                                                  "/home/x/.claude/projects/" + kOldFolder + "/" + kOldId + "/tool-results/b.txt",
                                                  "/home/x/.claude/projects/" + kOldFolder + "/agent-" + kAgent + ".jsonl",
                                                  "/h/.claude/plans/" + kSlug + ".md",
                                                  "plans/" + kSlug + ".md",
                                                  "agent-a77-clone-00000000.jsonl",
                                                  " and ",
                                                  "\n",
                                                  "\x1b[1m",
                                                  "d\xC3\xA9j\xC3\xA0",
                                                  "\"",
                                                  "/",
                                                  "Title (clone-01234567)",
                                                  "~/x"};
    return made;
  }

  const std::string& pick(const std::vector<std::string>& from) { return from[below(from.size())]; }
  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::mt19937_64 random_;
};

struct Variant {
  const char* name;
  Identity identity;
  PathLevel level;
};
std::vector<Variant> variants() {
  Identity fresh = test_copy();
  fresh.fresh_uuids = true;
  return {{"clone", test_copy(), PathLevel::fields},
          {"cwd", test_copy(), PathLevel::cwd},
          {"none", test_copy(), PathLevel::none},
          {"fresh", fresh, PathLevel::fields},
          {"move", test_move(), PathLevel::fields}};
}

TEST(RewriteReference, Clone_5_AgreesWithTheSlowWay) {
  for (const Variant& variant : variants()) {
    RandomRecord random(7);
    Reference reference(variant.identity, variant.level);
    Rewriter rewriter(variant.identity, test_paths(), test_options(variant.level));
    for (int i = 0; i < kRecords; ++i) {
      const std::string line = random.object();
      const auto parsed = parse_json(line);
      ASSERT_TRUE(parsed) << line;
      const std::optional<Json> expected = reference.record(parsed->as_object());
      const std::string out = rewritten(rewriter, line + "\n");
      ASSERT_EQ(out.empty(), !expected) << variant.name << "\n" << line;
      if (!expected) continue;
      const auto got = parse_json(out);
      ASSERT_TRUE(got) << out;
      ASSERT_EQ(holdfast::to_json(*got), holdfast::to_json(*expected)) << variant.name << "\n" << line;
    }
  }
}

TEST(RewriteReference, LinesWithoutAMatchAreIdentical) {
  RandomRecord random(11);
  Rewriter rewriter(test_copy(), test_paths(), test_options());
  int same = 0;
  for (int i = 0; i < kRecords; ++i) {
    const std::string line = random.object() + "\n";
    const std::uint64_t before = rewriter.counts().edited_lines + rewriter.counts().dropped_lines;
    const std::string out = rewritten(rewriter, line);
    const bool touched = rewriter.counts().edited_lines + rewriter.counts().dropped_lines != before;
    ASSERT_EQ(out == line, !touched);
    same += touched ? 0 : 1;
  }
  EXPECT_GT(same, kRecords / 10);
}

// The copy that leads back: every name of the new session to its old one.
Identity inverse_of(const Identity& identity) {
  Identity back;
  back.old_session = identity.new_session;
  back.new_session = identity.old_session;
  back.old_folder = identity.new_folder;
  back.new_folder = identity.old_folder;
  for (const auto& [from, to] : identity.agents) back.agents[to] = from;
  for (const auto& [from, to] : identity.slugs) back.slugs[to] = from;
  return back;
}

// Everything of a real home, there and back: the original bytes.
TEST(RewriteReference, Clone_5_BackAgainGivesTheBytes) {
  const std::string folder = test_data("claude-home-basic/.claude/projects/-home-dev-work-demo");
  int files = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".jsonl") continue;
    const std::string id = entry.path().stem().string();
    const std::string text = read_file(entry.path().string()).value();
    const Identity identity = identity_of_copy({id, "-home-dev-work-demo"}, kNewId, "-srv-new-demo", {},
                                               {"plan-something-script-plan-curious-russell"});
    PathMap there, back;
    there.add("/home/dev/work/demo", "/srv/new/demo");
    back.add("/srv/new/demo", "/home/dev/work/demo");
    for (const PathLevel level : {PathLevel::none, PathLevel::cwd, PathLevel::fields, PathLevel::all}) {
      Rewriter forth(identity, there, test_options(level)), home(inverse_of(identity), back, test_options(level));
      const std::string copy = rewritten(forth, text);
      EXPECT_FALSE(copy.contains(id));
      EXPECT_EQ(forth.counts().opaque_lines, 0U);
      // Titles alone do not know what they were.
      ASSERT_TRUE(replaced(rewritten(home, copy), " (clone-)", "") == text) << entry.path();
    }
    ++files;
  }
  EXPECT_GE(files, 6);
}

// A clone of a clone has names as flat as those of a clone.
TEST(RewriteReference, Clone_5_ACloneOfACloneIsFlat) {
  const std::string line = R"json({"slug":"brave-fox","agentId":"5271c147","customTitle":"T"})json";
  Rewriter first(test_copy(), {}, test_options());
  const std::string second_id = "0199c0de-2222-7222-8333-000000000777";
  std::vector<std::string> agents, slugs;
  for (const auto& [from, to] : test_copy().agents) agents.push_back(to);
  for (const auto& [from, to] : test_copy().slugs) slugs.push_back(to);
  Rewriter second(identity_of_copy({kNewId, kNewFolder}, second_id, kNewFolder, agents, slugs), {}, test_options());
  EXPECT_EQ(
      rewritten(second, rewritten(first, line + "\n")),
      R"json({"slug":"brave-fox-clone-00000777","agentId":"5271c147-clone-00000777","customTitle":"T (clone-00000777)"})json"
      "\n");
}

// Whatever a line is, it goes through: parsed lines stay JSON, others stay as they are.
TEST(RewriteReference, DamagedLinesGoThrough) {
  RandomRecord random(13);
  std::mt19937 damage(17);
  jsonl::Scanner scanner;
  Rewriter rewriter(test_move(), test_paths(), test_options());
  for (int i = 0; i < kRecords; ++i) {
    std::string line = random.object();
    if (damage() % 2) line += random.object();
    line[damage() % line.size()] = "\"\\{}[],:\x01\xFF"[damage() % 10];
    const jsonl::LineReport report = scanner.shape(line);
    std::string out;
    rewriter.begin(test_artifact());
    ASSERT_TRUE(rewriter.line(line, "", false, out));
    if (report.parsed())
      ASSERT_EQ(scanner.shape(out).shape, report.shape) << line;
    else
      ASSERT_EQ(out, line);
  }
}

// Whatever a line is, and in whatever pieces it comes: a copy does not name the original, and nothing else of what cannot be read
// is changed.
TEST(RewriteReference, P16NoCopyOfADamagedLineNamesTheOriginal) {
  RandomRecord random(19);
  std::mt19937 damage(23);
  jsonl::Scanner scanner;
  const std::string path = "/projects/" + kOldFolder + "/" + kOldId, new_path = "/projects/" + kNewFolder + "/" + kNewId;
  Rewriter rewriter(test_copy(), test_paths(), test_options());
  int opaque = 0;
  for (int i = 0; i < kRecords; ++i) {
    std::string line = random.object() + (damage() % 3 == 0 ? path : "") + random.object();
    if (damage() % 4 == 0) line.insert(damage() % line.size(), kOldId);
    line.resize(damage() % line.size());
    const std::string expected = replaced(replaced(line, path, new_path), kOldId, kNewId);
    std::string whole, pieces;
    rewriter.begin(test_artifact());
    ASSERT_TRUE(rewriter.line(line, "\n", false, whole));
    ASSERT_TRUE(rewriter.end(whole));
    const jsonl::LineReport report = scanner.shape(line);
    if (!report.parsed() && report.shape != jsonl::LineShape::blank) {
      ASSERT_EQ(whole, expected + "\n") << line;
      ++opaque;
    }
    // As a record that is too long to look into comes.
    rewriter.begin(test_artifact());
    std::string_view rest = line;
    do {
      const std::string_view piece = rest.substr(0, damage() % 60);
      rest.remove_prefix(piece.size());
      ASSERT_TRUE(rewriter.line(piece, rest.empty() ? "\n" : "", true, pieces));
    } while (!rest.empty());
    ASSERT_TRUE(rewriter.end(pieces));
    ASSERT_EQ(pieces, expected + "\n") << line;
    ASSERT_FALSE(pieces.contains(kOldId)) << line;
  }
  EXPECT_GT(opaque, kRecords / 2);
}

}  // namespace
}  // namespace holdfast::transcripts
