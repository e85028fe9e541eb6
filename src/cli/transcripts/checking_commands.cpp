// holdfast verify|doctor|schema|export|import: what they say, in words.

#include "cli/transcripts/transcript_text.h"
#include "cli/transcripts/transcript_work.h"
#include "kinds/transcripts/reading/known_records.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {

using operations::Facts;

namespace {

// ---- verify ----

std::string verify_text(const Facts& report) {
  std::string out;
  for (const Json& each : *find_array(report, "findings")) {
    const JsonObject& finding = each.get_object();
    const std::int64_t line = number_in(finding, "line");
    out += fmt::format("{}: {}{}: {}\n", text_in(finding, "severity"), harmless(text_in(finding, "path"), true),
                       line > 0 ? fmt::format(":{}", line) : "", harmless(text_in(finding, "what"), true));
  }
  if (const std::int64_t more = number_in(report, "more"); more > 0) out += fmt::format("... and {} more\n", more);
  return out + fmt::format("{} files, {} records, {}: {}\n", number_in(report, "files"), number_in(report, "records"),
                           size_in(report, "bytes"), is_true(report, "ok") ? "whole" : "damaged");
}

std::string drift_text(const Facts& report) {
  std::string out;
  const auto part = [&](std::string_view heading, std::string_view fact) {
    for (const auto& each : *find_object(report, fact)) {
      const JsonObject& seen = each.value().get_object();
      const std::string versions = text_in(seen, "versions");
      out += fmt::format("{} {}: {} times, as in {}{}\n", heading, harmless(each.key(), true), number_in(seen, "count"),
                         harmless(text_in(seen, "example"), true),
                         versions.empty() ? "" : fmt::format(" (client {})", harmless(versions, true)));
    }
  };
  part("type", "types");
  part("field", "fields");
  part("client version", "versions");
  part("file", "files");
  return out +
         fmt::format("{} sessions, {} records: {}\n", number_in(report, "sessions"), number_in(report, "records"),
                     is_true(report, "none") ? "nothing new" : "the above is new; it is kept and copied like everything else");
}

// ---- doctor ----

std::string sick_text(const JsonObject& sick) {
  std::string out = fmt::format("  projects/{}/{}.jsonl\n", text_in(sick, "project_folder"), text_in(sick, "session_id"));
  for (const Json& each : *find_array(*find_object(sick, "report"), "findings")) {
    const std::int64_t line = number_in(each.get_object(), "line");
    out += fmt::format("    {}{}\n", line > 0 ? fmt::format("line {}: ", line) : "",
                       harmless(text_in(each.get_object(), "what"), true));
  }
  return out;
}

// Why --fix does nothing about a damaged one; empty: it does.
std::string state_text(const JsonObject& sick) {
  if (const std::string copy = text_in(sick, "repaired_session_id"); !copy.empty())
    return fmt::format("    repaired in the copy {}\n", copy);
  if (is_true(sick, "in_use")) return "    in use: not repaired before it is at rest\n";
  return is_true(sick, "to_repair") ? "" : "    no copy would be better\n";
}

std::string repair_text(const JsonObject& repair) {
  std::string out;
  for (const Json& warning : *find_array(repair, "warnings")) out += harmless(view(warning.as_string()), true) + "\n";
  const std::string id = text_in(repair, "session_id"), error = text_in(repair, "error");
  return out + (error.empty() ? fmt::format("{} is repaired in the copy {}\n", id, text_in(repair, "repaired_session_id"))
                              : fmt::format("{} is not repaired: {}\n", id, harmless(error, true)));
}

// What fits, each in its words, below a heading when there is any.
template <class Fits, class Words>
std::string part_text(const Facts& report, std::string_view fact, std::string_view heading, const Terminal& terminal, Fits fits,
                      Words words) {
  std::string out;
  for (const Json& each : *find_array(report, fact))
    if (fits(each.get_object())) out += words(each.get_object());
  return out.empty() ? out : terminal.bold(heading) + "\n" + out;
}

std::string doctor_text(const Facts& report, const Context& context) {
  const Terminal& terminal = context.terminal;
  const auto shown = [](const JsonObject& of, std::string_view fact) { return harmless(text_in(of, fact), true); };
  const auto all = [](const JsonObject&) { return true; };
  const auto is_unknown = [](const JsonObject& leftover) { return !text_in(leftover, "trouble").empty(); };
  const auto is_damaged = [](const JsonObject& sick) { return !is_true(*find_object(sick, "report"), "ok"); };
  std::string out = part_text(report, "leftovers", "Operations that ended half-way (--fix ends them)", terminal,
                              std::not_fn(is_unknown), [&](const JsonObject& each) {
                                return fmt::format("  {} of {}, {}: would be {}\n", shown(each, "what"), shown(each, "about"),
                                                   text_in(each, "began_at"), text_in(each, "will_be"));
                              });
  out +=
      part_text(report, "leftovers", "Operations that ended half-way and left no journal to go by", terminal, is_unknown,
                [&](const JsonObject& each) { return fmt::format("  {}: {}\n", shown(each, "folder"), shown(each, "trouble")); });
  out += part_text(report, "sick", "Damaged transcripts (--fix writes repaired copies)", terminal, is_damaged,
                   [](const JsonObject& each) { return sick_text(each) + state_text(each); });
  out += part_text(report, "sick", "Odd transcripts (nothing is lost, the client copes)", terminal, std::not_fn(is_damaged),
                   sick_text);
  out += part_text(report, "duplicates", "One id in several projects", terminal, all, [&](const JsonObject& each) {
    std::string folders;
    for (const Json& folder : *find_array(each, "project_folders"))
      folders += (folders.empty() ? "" : ", ") + std::string(view(folder.as_string()));
    return fmt::format("  {}: {}\n", text_in(each, "session_id"), harmless(folders, true));
  });
  out +=
      part_text(report, "expiring", "Soon to be removed by Claude Code's clean-up", terminal, all, [&](const JsonObject& each) {
        return fmt::format("  {}  {}  {}\n", text_in(each, "session_id"), text_in(each, "at"), shown(each, "title"));
      });
  const JsonArray& stale = *find_array(report, "stale_indexes");
  if (!stale.empty()) out += terminal.bold("Indexes that do not fit their folder (harmless; the client rewrites them)") + "\n";
  for (const Json& each : stale) out += fmt::format("  {}\n", harmless(view(each.as_string()), true));
  out += fmt::format("{} sessions, {}; clean-up after {} days ({})\n", number_in(report, "sessions"), size_in(report, "bytes"),
                     number_in(report, "cleanup_days"),
                     is_true(report, "cleanup_is_default") ? "the client's default" : shown(report, "cleanup_source"));
  for (const Json& each : *find_array(report, "advice")) out += harmless(view(each.as_string()), true) + "\n";
  if (is_true(report, "healthy"))
    out += find_array(report, "sick")->empty() && stale.empty() ? "all is well\n" : "nothing is damaged; the list does no harm\n";
  for (const Json& each : *find_array(report, "repaired")) out += repair_text(each.get_object());
  return out;
}

// ---- export ----

std::string export_text(const Facts& facts, const Context& context) {
  const std::string masked =
      context.given.flag("redact") ? fmt::format(", {} credentials masked", number_in(facts, "redacted")) : std::string();
  const std::string index = text_in(facts, "index");
  const std::string what = index.empty() ? fmt::format("{}, {} turns, {} prompts{}", size_in(facts, "bytes"),
                                                       number_in(facts, "turns"), number_in(facts, "prompts"), masked)
                                         : fmt::format("{} sessions{}", number_in(facts, "sessions"), masked);
  return fmt::format("{}\n{}\n", index.empty() ? text_in(facts, "output") : index, context.terminal.soft(what));
}

}  // namespace

Result<void> verify_transcript(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(const Facts facts, work->perform());
  const bool drift = context.given.flag("drift");
  if (context.json)
    print_json(facts);
  else
    print(drift ? drift_text(facts) : verify_text(facts));
  if (drift || is_true(facts, "ok")) return {};
  return fail(ErrorKind::corrupt, "it is damaged", "what is wrong is named above; holdfast doctor --fix writes repaired copies");
}

Result<void> examine_transcripts(Context& context) {
  // To be looked at, what died half way must lie as it is.
  return show(context, doctor_text, context.given.flag("fix") ? TranscriptWork::Died::end : TranscriptWork::Died::leave);
}

Result<void> export_any_session(Context& context) {
  if (context.given.text("output") != kStandardOutput) return show(context, export_text);
  if (context.json) return fail(ErrorKind::invalid, "--json and --output - both want standard output", "leave one of them out");
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_CHECK(work->perform());
  return {};
}

Result<void> print_schema(Context&) {
  print(to_json_pretty(transcripts::record_schema()) + "\n");
  return {};
}

// The setting names the project when nothing else does.
Result<void> import_thoughtbox(Context& context) {
  if (!context.given.has("root")) context.given.set("root", Json(context.settings.text("root")));
  return show(context, [](const Facts& facts, const Context&) {
    std::string text = fmt::format("{} sessions with {} thoughts imported, {} were known before\n", number_in(facts, "sessions"),
                                   number_in(facts, "thoughts"), number_in(facts, "known"));
    for (const Json& problem : *find_array(facts, "problems")) text += harmless(view(problem.as_string()), true) + "\n";
    return text;
  });
}

std::string import_lineage_text(const Facts& facts, const Context&) {
  return fmt::format("{} new\n", number_in(facts, "imported"));
}

}  // namespace holdfast::cli
