// holdfast list|info|lineage: what is known of transcripts, in words.

#include "cli/transcripts/transcript_text.h"
#include "cli/transcripts/transcript_work.h"
#include "kinds/transcripts/home/inventory.h"
#include "session/query/display.h"

#include <fmt/format.h>

namespace holdfast::cli {

using operations::Facts;

namespace {

// ---- list ----

std::vector<std::string> list_row(const Facts& session, const Context& context, bool of_all) {
  const std::string id = text_in(session, "session_id");
  std::vector<std::string> cells = {context.verbose ? id : id.substr(0, kShortId)};
  if (of_all) cells.push_back(text_in(session, "product"));
  cells.push_back(text_in(session, "state"));
  cells.push_back(session::age(time_in(session, "updated_at"), context.clock->now()));
  cells.push_back(size_in(session, "size_bytes"));
  if (of_all) cells.push_back(text_in(session, "project_path"));
  cells.push_back(text_in(session, "title"));
  return cells;
}

// ---- info ----

std::string thousands(std::int64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string usage_text(const Facts& usage, const Terminal& terminal) {
  std::string out;
  if (const JsonObject& models = *find_object(usage, "models"); !models.empty()) {
    Table table({{"MODEL"}, {"INPUT", true}, {"OUTPUT", true}, {"CACHE WRITTEN", true}, {"CACHE READ", true}});
    for (const auto& model : models) {
      std::vector<std::string> cells = {std::string(model.key())};
      for (const char* tokens : {"input", "output", "cache_written", "cache_read"})
        cells.push_back(thousands(number_in(model.value().get_object(), tokens)));
      table.add(std::move(cells));
    }
    out += "\n" + table.text(terminal);
  }
  if (const JsonObject& tools = *find_object(usage, "tool_calls"); !tools.empty()) {
    Table table({{"TOOL"}, {"CALLS", true}});
    for (const auto& tool : tools) table.add({std::string(tool.key()), thousands(number_in(tools, tool.key()))});
    out += "\n" + table.text(terminal);
  }
  return out;
}

std::string cost_text(const Facts& cost) {
  std::string out =
      fmt::format("\n${:.2f} by the prices of {}\n", find(cost, "dollars")->to_number<double>(), text_in(cost, "as_of"));
  for (const Json& model : *find_array(cost, "unpriced"))
    out += fmt::format("no price is known for {}: add it to prices.json\n", harmless(view(model.as_string()), true));
  return out;
}

std::string family_text(const Facts& info) {
  const std::string method = text_in(info, "method");
  if (!is_true(info, "has_lineage")) return "none known";
  std::string text = method.empty() ? "root" : fmt::format("{} of {}", method, text_in(info, "parent_session_id"));
  if (const std::size_t children = find_array(info, "child_session_ids")->size(); children > 0)
    text += fmt::format(", {} {}", children, children == 1 ? "copy" : "copies");
  return text;
}

// "3 subagents, 2 plans".
std::string parts_of_session(const Facts& info) {
  transcripts::KindCounts counts;
  for (int kind = 0; kind <= static_cast<int>(transcripts::ArtifactKind::other); ++kind) {
    const auto each = static_cast<transcripts::ArtifactKind>(kind);
    if (const std::int64_t count = number_in(*find_object(info, "files"), name_of(each)); count > 0)
      counts[each] = static_cast<std::uint64_t>(count);
  }
  JsonObject parts;
  transcripts::add_kind_counts(parts, counts, "");
  return parts_text(parts, "");
}

std::string info_text(const Facts& info, const Context& context) {
  const Terminal& terminal = context.terminal;
  const std::string title = text_in(info, "title"), last = text_in(info, "last_record_at");
  const JsonObject& usage = *find_object(info, "usage");
  NamedLines lines(terminal);
  lines.add("id", info, "session_id");
  lines.add("product", fmt::format("{} {}", text_in(info, "product"), text_in(info, "client_version")));
  lines.add("project", info, "project_path");
  lines.add("branch", info, "git_branch");
  lines.add("state", info, "state");
  lines.add("native", is_true(info, "is_native") ? "yes: delete and move need --force" : "no: made by a copy");
  lines.add("family", family_text(info));
  lines.add("first", info, "first_record_at");
  if (!last.empty())
    lines.add("last", fmt::format("{} ({})", last, session::age(time_in(info, "last_record_at"), context.clock->now())));
  lines.add("size", fmt::format("{} in {} files", size_in(info, "total_bytes"), number_in(info, "file_count")));
  lines.add("with", parts_of_session(info));
  lines.add("messages", fmt::format("{}, {} subagents, {} compactions", number_in(usage, "messages"),
                                    number_in(usage, "subagents"), number_in(usage, "compactions")));
  lines.add("file", info, "session_file");
  if (const JsonArray* files = find_array(info, "every_file"))
    for (const Json& each : *files)
      lines.add("", fmt::format("{} ({} bytes)", text_in(each.get_object(), "path"), number_in(each.get_object(), "bytes")));
  lines.add("left out", info, "left_out");
  lines.add("restore", info, "restore_command");
  lines.add("resume", info, "resume_command");
  std::string out = terminal.bold(harmless(title.empty() ? "(no title)" : title, true)) + "\n" + lines.take();
  out += usage_text(usage, terminal);
  if (const JsonObject* cost = find_object(info, "cost")) out += cost_text(*cost);
  if (const JsonArray* notes = find_array(info, "notes")) out += notes_text(*notes);
  return out;
}

// ---- lineage ----

// Every level indents what is below it: a chain of thousands (made by hand, not by people) would fill pages with blanks.
constexpr std::int64_t kMaxDrawnDepth = 100;

const JsonObject* node_of(const Facts& family, std::string_view id) {
  return find_object(*find_object(family, "nodes"), id);
}

std::string event_line(const JsonObject& event) {
  const std::string at = text_in(event, "at"), how = text_in(event, "how"), archive = text_in(event, "archive_path");
  if (how == "move")
    return fmt::format("Moved: {} from {} to {}\n", at, text_in(event, "source_project_path"),
                       text_in(event, "target_project_path"));
  if (how == "delete") {
    const std::string backup = text_in(event, "backup_path");
    return fmt::format("Deleted: {}{}\n", at, backup.empty() ? "" : ", backup " + backup);
  }
  if (how == "archive") return fmt::format("Archived: {} to {}\n", at, archive);
  if (how == "in-place") return fmt::format("Restored in place: {} from {}\n", at, archive);
  return fmt::format("Event: {} {}\n", how, at);
}

std::string copied_text(const JsonObject& node) {
  const std::string at = text_in(node, "cloned_at");
  return text_in(node, "method") + (at.empty() ? "" : " " + at);
}

std::string drawn_node(const Facts& family, const JsonObject& node) {
  const std::string id = text_in(node, "session_id"), title = text_in(node, "custom_title");
  std::string out = id;
  if (!title.empty()) out += fmt::format(" \"{}\"", title);
  if (!text_in(node, "method").empty()) out += fmt::format(" ({})", copied_text(node));
  if (is_true(node, "is_cross_machine")) out += fmt::format(" from {}", text_in(node, "parent_machine_id"));
  if (const JsonArray* events = find_array(node, "events"))
    for (const Json& event : *events)
      if (text_in(event.get_object(), "how") == "delete") out += " [deleted]";
  if (id == text_in(family, "queried_session_id")) out += " <- this session";
  return out + "\n";
}

std::string nothing_known(const Facts& facts) {
  return fmt::format("nothing is known about the family of {}\n", text_in(facts, "queried_session_id"));
}

}  // namespace

std::string list_text(const Facts& facts, const Context& context) {
  const JsonArray& sessions = *find_array(facts, "sessions");
  const std::string project = text_in(facts, "project");
  if (sessions.empty() && !project.empty())
    return fmt::format("no sessions of {}; --all lists those of every project\n", harmless(project, true));
  if (sessions.empty()) return context.given.flag("kept") ? "nothing is gone that is kept\n" : "no sessions\n";
  const bool of_all = project.empty();
  std::vector<Table::Column> columns = {{"ID"}, {"STATE"}, {"UPDATED"}, {"SIZE", true}};
  if (of_all) columns.insert(columns.begin() + 1, {"PRODUCT"});
  if (of_all) columns.push_back({"PROJECT"});
  columns.push_back({"TITLE", false, true});
  Table table(columns);
  for (const Json& each : sessions) table.add(list_row(each.get_object(), context, of_all));
  std::string text = table.text(context.terminal);
  const std::int64_t total = number_in(facts, "total"), count = number_in(facts, "count");
  if (total > count) text += context.terminal.soft(fmt::format("{} of {}; --limit shows more", count, total)) + "\n";
  return text;
}

std::string lineage_text(const Facts& family) {
  const JsonObject* const node = node_of(family, text_in(family, "queried_session_id"));
  if (!node) return {};
  std::string out;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out += fmt::format("{}: {}\n", name, value);
  };
  const std::string parent = text_in(*node, "parent_id");
  add("Session", text_in(*node, "session_id"));
  add("Title", text_in(*node, "custom_title"));
  add("Parent", parent.empty() ? "none (root)" : parent);
  add("Cloned", text_in(*node, "cloned_at"));
  add("Method", text_in(*node, "method"));
  add("Source", text_in(*node, "parent_project_path"));
  add("Target", text_in(*node, "target_project_path"));
  add("Machine", text_in(*node, "target_machine_id"));
  add("Source Machine", text_in(*node, "parent_machine_id"));
  add("Archive", text_in(*node, "archive_path"));
  if (const JsonArray* events = find_array(*node, "events"))
    for (const Json& event : *events) out += event_line(event.get_object());
  const JsonArray& children = *find_array(*node, "children");
  if (!children.empty()) out += fmt::format("Clones: {}\n", children.size());
  for (const Json& id : children)
    out += fmt::format("  {} {}\n", view(id.as_string()), copied_text(*node_of(family, view(id.as_string()))));
  return out;
}

std::string lineage_drawing(const Facts& family) {
  struct Waiting {
    const JsonObject* node;
    std::string indent;  // of its children
    std::string branch;  // in front of itself
  };
  std::string out;
  std::vector<Waiting> stack;
  if (const JsonObject* root = node_of(family, text_in(family, "root_session_id"))) stack.push_back({root, "", ""});
  while (!stack.empty()) {
    const Waiting next = std::move(stack.back());
    stack.pop_back();
    out += next.branch + drawn_node(family, *next.node);
    const JsonArray& children = *find_array(*next.node, "children");
    if (number_in(*next.node, "depth") == kMaxDrawnDepth && !children.empty()) {
      out += next.indent + "└── ...\n";
      continue;
    }
    for (std::size_t i = children.size(); i-- > 0;) {
      const bool last = i + 1 == children.size();
      stack.push_back({node_of(family, view(children[i].as_string())), next.indent + (last ? "    " : "│   "),
                       next.indent + (last ? "└── " : "├── ")});
    }
  }
  return out;
}

Result<void> show_transcript(Context& context) {
  if (context.verbose) context.given.set("every_file", true);
  context.json = context.json || context.given.text("format") == "json";
  return show(context, info_text);
}

Result<void> show_lineage(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(const Facts facts, work->perform());
  const std::string format = context.given.text("format");
  const bool known = !find_object(facts, "nodes")->empty(), as_json = context.json || format == "json";
  if (as_json)
    print_json(known ? Json(facts) : Json(nullptr));
  else
    print(!known ? nothing_known(facts) : harmless(format == "tree" ? lineage_drawing(facts) : lineage_text(facts), false));
  return {};
}

Result<void> export_lineage(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(const Facts facts, work->perform());
  const bool known = !facts.contains("queried_session_id");
  print(known ? to_json_pretty(facts) + "\n" : context.json ? "null\n" : nothing_known(facts));
  return {};
}

}  // namespace holdfast::cli
