// holdfast search|trace|index: what was found, in words.

#include "cli/transcripts/transcript_text.h"
#include "cli/transcripts/transcript_work.h"
#include "session/query/display.h"

#include <fmt/format.h>

namespace holdfast::cli {

using operations::Facts;

namespace {

constexpr std::size_t kNamedUnreadable = 5;

// What could not be looked at may hold more.
void note_unreadable(const JsonArray& unreadable) {
  for (std::size_t i = 0; i < unreadable.size() && i < kNamedUnreadable; ++i) {
    const JsonObject& each = unreadable[i].get_object();
    print_note(
        fmt::format("not searched: {}: {}\n", harmless(text_in(each, "source"), true), harmless(text_in(each, "reason"), true)));
  }
  if (unreadable.size() > kNamedUnreadable)
    print_note(fmt::format("not searched either: {} more\n", unreadable.size() - kNamedUnreadable));
}

// The name of the file when it is not the conversation itself: a subagent's, a saved result.
std::string beside(const JsonObject& found, const JsonObject& place) {
  const std::string source = text_in(place, "source"), name = source.substr(source.rfind('/') + 1);
  if (text_in(found, "kind") != "transcript" || name.contains(text_in(found, "session_id"))) return {};
  return harmless(name, true) + " ";
}

std::string marked(const JsonObject& place, const Terminal& terminal) {
  const std::string whole = text_in(place, "snippet");
  const std::string_view snippet = whole;
  std::string text;
  std::size_t at = 0;
  for (const Json& each : *find_array(place, "highlights")) {
    const auto begin = each.get_array()[0].to_number<std::size_t>(), end = each.get_array()[1].to_number<std::size_t>();
    if (begin < at || end > snippet.size() || begin >= end) continue;
    text += harmless(snippet.substr(at, begin - at), true);
    text += terminal.bold(harmless(snippet.substr(begin, end - begin), true));
    at = end;
  }
  return text + harmless(snippet.substr(at), true);
}

std::string found_text(const JsonObject& found, const Context& context) {
  const Terminal& terminal = context.terminal;
  const std::string id = text_in(found, "session_id"), kind = text_in(found, "kind"), product = text_in(found, "product");
  // Ids of transcripts are long and unlike each other; those of the store say what they are.
  const bool whole = context.verbose || kind != "transcript";
  std::string text =
      fmt::format("{}  {}  {}", terminal.bold(whole ? id : id.substr(0, kShortId)), product.empty() ? kind : product,
                  session::age(time_in(found, "updated_at"), context.clock->now()));
  if (text_in(found, "status") == "kept") text += "  kept";
  if (const std::string project = text_in(found, "project"); !project.empty()) text += "  " + harmless(project, true);
  text += "  " + harmless(text_in(found, "title"), true) + "\n";
  for (const Json& each : *find_array(found, "matches")) {
    const JsonObject& place = each.get_object();
    const std::string tool = text_in(place, "tool");
    const std::int64_t line = number_in(place, "line");
    const std::string what = harmless(tool.empty() ? text_in(place, "role") : tool, true);
    const std::string where = line > 0 ? fmt::format("{}:{}", what, line) : "title";
    text += fmt::format("  {}{} {}\n", beside(found, place), terminal.soft(where), marked(place, terminal));
  }
  if (const std::string resume = text_in(found, "resume_command"); !resume.empty())
    text += "  " + terminal.soft(harmless(resume, true)) + "\n";
  return text + "\n";
}

}  // namespace

std::string search_text(const Facts& facts, const Context& context) {
  const JsonArray& sessions = *find_array(facts, "sessions");
  std::string text = sessions.empty() ? "nothing found\n" : "";
  for (const Json& each : sessions) text += found_text(each.get_object(), context);
  if (is_true(facts, "hasMore"))
    text += context.terminal.soft("there are more sessions; --limit shows them\n");
  else if (is_true(facts, "hasMorePlaces"))
    text += context.terminal.soft("there are more places in these sessions; --per-session shows them\n");
  note_unreadable(*find_array(facts, "unreadable"));
  return text;
}

std::string index_text(const Facts& facts, const Context&) {
  return fmt::format("{} of {} indexed in {} files, {} on the disk\n", size_in(facts, "indexed_bytes"),
                     size_in(facts, "source_bytes"), number_in(facts, "sources"), size_in(facts, "index_bytes"));
}

}  // namespace holdfast::cli
