#include "reading/export.h"

#include "base/crypto/hash.h"
#include "base/files/fd.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "reading/html/html_turns.h"
#include "reading/html/markdown_turns.h"
#include "reading/html/prompt_table.h"
#include "reading/html/visible_text.h"
#include "reading/turn.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace holdfast::reading {
namespace {

// Turns as JSON, for programs; and a filter over every text of a turn.

using Filter = std::function<std::string(std::string_view)>;

std::string_view name_of(Part::Kind kind) {
  switch (kind) {
    case Part::Kind::text:
      return "text";
    case Part::Kind::thinking:
      return "thinking";
    case Part::Kind::tool_call:
      return "tool_call";
    case Part::Kind::tool_result:
      return "tool_result";
    case Part::Kind::image:
      return "image";
    case Part::Kind::diff:
      return "diff";
    case Part::Kind::notice:
      return "notice";
    case Part::Kind::raw:
      break;
  }
  return "raw";
}

void put(JsonObject& object, std::string_view key, bool is) {
  if (is) object[key] = true;
}
void put(JsonObject& object, const CutText& text) {
  put_text(object, "text", text.text);
  if (text.left_out > 0) object["leftOutBytes"] = text.left_out;
}

JsonObject result_json(const ToolResult& result) {
  JsonObject out{{"line", result.line}};
  put(out, result.output);
  put(out, "error", result.error);
  put_text(out, "patch", result.patch);
  put_text(out, "savedOutput", result.saved_output);
  if (!result.images.empty()) out["images"] = result.images.size();
  return out;
}

JsonObject part_json(const Part& part) {
  JsonObject out{{"kind", name_of(part.kind)}, {"line", part.line}};
  put(out, part.text);
  put_text(out, "name", part.name);
  put_text(out, "id", part.id);
  if (!part.arguments.empty()) out["arguments"] = part.arguments;
  if (part.result) out["result"] = result_json(*part.result);
  if (part.subagent)
    out["subagent"] = {{"id", part.subagent->id}, {"type", part.subagent->type}, {"description", part.subagent->description}};
  if (!part.images.empty()) out["images"] = part.images.size();
  return out;
}

void filter_value(Json& value, const Filter& filter) {
  if (value.is_string()) {
    value = filter(view(value.get_string()));
  } else if (value.is_array()) {
    for (Json& each : value.get_array()) filter_value(each, filter);
  } else if (value.is_object()) {
    JsonObject changed;
    for (auto& member : value.get_object()) {
      filter_value(member.value(), filter);
      changed[filter(member.key())] = std::move(member.value());
    }
    value = std::move(changed);
  }
}

JsonObject turn_json(const Turn& turn) {
  JsonObject out{{"line", turn.line}, {"role", name_of(turn.role)}};
  put_text(out, "id", turn.id);
  put_text(out, "author", turn.author);
  put_text(out, "lane", turn.lane);
  if (turn.time != 0) out["time"] = iso8601(turn.time);
  put(out, "prompt", turn.prompt);
  put(out, "meta", turn.meta);
  put(out, "sidechain", turn.sidechain);
  put(out, "compaction", turn.compaction);
  put(out, "error", turn.error);
  put(out, "damaged", turn.damaged);
  JsonArray parts;
  for (const Part& part : turn.parts) parts.push_back(part_json(part));
  out["parts"] = std::move(parts);
  return out;
}

JsonObject heading_json(const Heading& heading) {
  JsonObject out{{"id", heading.id}, {"kind", heading.kind}, {"title", heading.title}};
  put_text(out, "project", heading.project);
  put_text(out, "resumeCommand", heading.resume_command);
  if (heading.first_time != 0) out["firstTime"] = iso8601(heading.first_time);
  if (heading.last_time != 0) out["lastTime"] = iso8601(heading.last_time);
  for (const auto& [name, value] : heading.details) out[name] = value;
  return out;
}

// Replaces every text that the session holds: words, output, arguments at any depth (keys too), names. Not the bytes of images.
void filter_texts(Turn& turn, const Filter& filter) {
  turn.author = filter(turn.author);
  turn.lane = filter(turn.lane);
  for (Fork& fork : turn.forks) fork.words = filter(fork.words);
  for (Part& part : turn.parts) {
    part.text.text = filter(part.text.text);
    part.name = filter(part.name);
    Json arguments(std::move(part.arguments));
    filter_value(arguments, filter);
    part.arguments = std::move(arguments.get_object());
    if (part.result) {
      part.result->output.text = filter(part.result->output.text);
      part.result->patch = filter(part.result->patch);
    }
    if (part.subagent) part.subagent->description = filter(part.subagent->description);
    for (Diff& diff : part.diffs)
      for (std::string* text : {&diff.before, &diff.after, &diff.patch, &diff.path}) *text = filter(*text);
    for (Todo& todo : part.todos) todo.text = filter(todo.text);
  }
}

// Every turn, its texts filtered.
Result<void> each_exported(Reading& reading, const ExportOptions& options, const std::function<Result<void>(Turn&)>& take) {
  ReadLimits limits = kExportLimits;
  if (options.format != ExportFormat::html) limits.image_bytes = 0;
  // In windows, so that progress is told and a reader who has had enough is heard.
  return each_window(reading, limits, [&](Window& window) -> Result<void> {
    for (Turn& turn : window.turns) {
      if (options.filter) filter_texts(turn, options.filter);
      HF_CHECK(take(turn));
    }
    if (options.progress && !options.progress(window.next.value_or(window.last_line), window.last_line))
      return fail(ErrorKind::cancelled, "stopped");
    return {};
  });
}

Heading filtered_heading(const Heading& heading, const ExportOptions& options) {
  Heading out = heading;
  if (!options.filter) return out;
  for (std::string* text : {&out.title, &out.project, &out.resume_command}) *text = options.filter(*text);
  for (auto& [name, value] : out.details) value = options.filter(value);
  for (Subagent& agent : out.subagents) agent.description = options.filter(agent.description);
  return out;
}

class CountingSink {
 public:
  CountingSink(const ExportSink& sink, Exported& exported) : sink_(sink), exported_(exported) {}
  Result<void> operator()(std::string_view bytes) {
    exported_.bytes += bytes.size();
    return sink_(bytes);
  }

 private:
  const ExportSink& sink_;
  Exported& exported_;
};

Result<void> markdown_turns(Reading& reading, const ExportOptions& options, CountingSink& out, Exported& exported) {
  std::string bare;  // the heading of a compaction, whose summary mostly follows with one of its own
  const auto take = [&](Turn& turn) -> Result<void> {
    ++exported.turns;
    exported.prompts += turn.prompt ? 1 : 0;
    std::string text;
    const bool whole = append_turn(text, turn, {options.detailed});
    if (text.empty()) return {};
    if (!turn.compaction) text.insert(0, bare);
    bare.clear();
    if (whole) return out(text);
    bare = std::move(text);
    return {};
  };
  HF_CHECK(each_exported(reading, options, take));
  return out(bare);
}

Result<Exported> export_markdown(Reading& reading, const ExportOptions& options, const ExportSink& sink) {
  Exported exported;
  CountingSink out(sink, exported);
  std::string text;
  append_heading(text, filtered_heading(reading.heading(), options));
  HF_CHECK(out(text));
  HF_CHECK(markdown_turns(reading, options, out, exported));
  for (const Subagent& agent : reading.heading().subagents) {
    if (!options.subagents) break;
    HF_TRY(auto inner, reading.subagent(agent.id));
    text = "---\n\n";
    append_heading(text, filtered_heading(inner->heading(), options));
    HF_CHECK(out(text));
    HF_CHECK(markdown_turns(*inner, options, out, exported));
    ++exported.subagents;
  }
  return exported;
}

Result<void> json_turns(Reading& reading, const ExportOptions& options, CountingSink& out, Exported& exported) {
  bool first = true;
  HF_CHECK(out("["));
  HF_CHECK(each_exported(reading, options, [&](Turn& turn) -> Result<void> {
    ++exported.turns;
    exported.prompts += turn.prompt ? 1 : 0;
    const std::string text = (first ? "\n" : ",\n") + to_json(turn_json(turn));
    first = false;
    return out(text);
  }));
  return out("]");
}

Result<Exported> export_json(Reading& reading, const ExportOptions& options, const ExportSink& sink) {
  Exported exported;
  CountingSink out(sink, exported);
  HF_CHECK(out(fmt::format("{{\"session\":{},\"turns\":", to_json(heading_json(filtered_heading(reading.heading(), options))))));
  HF_CHECK(json_turns(reading, options, out, exported));
  if (options.subagents) {
    HF_CHECK(out(",\"subagents\":["));
    for (const Subagent& agent : reading.heading().subagents) {
      HF_TRY(auto inner, reading.subagent(agent.id));
      HF_CHECK(out(fmt::format("{}{{\"session\":{},\"turns\":", exported.subagents == 0 ? "" : ",",
                               to_json(heading_json(filtered_heading(inner->heading(), options))))));
      HF_CHECK(json_turns(*inner, options, out, exported));
      HF_CHECK(out("}"));
      ++exported.subagents;
    }
    HF_CHECK(out("]"));
  }
  HF_CHECK(out("}\n"));
  return exported;
}

constexpr std::size_t kTitleChars = 200;
constexpr std::size_t kFlushBytes = 256 * 1024;  // few system calls, and small beside a window

// The turns, until the table of prompts that stands above them is known. A file without a name: nothing stays behind.
class Spool {
 public:
  static Result<Spool> make() {
    std::error_code error;
    std::string pattern = (std::filesystem::temp_directory_path(error) / "holdfast-export-XXXXXX").string();
    if (error) return fail(system_error("the folder for temporary files", error.value()));
    Fd fd(::mkostemp(pattern.data(), O_CLOEXEC));
    if (!fd) return fail(system_error(pattern, errno));
    ::unlink(pattern.c_str());
    return Spool(std::move(fd));
  }

  Result<void> add(std::string_view bytes) { return write_all(fd_.get(), bytes); }

  Result<void> pour(const std::function<Result<void>(std::string_view)>& into) {
    std::string buffer(kFlushBytes, '\0');
    for (off_t at = 0;;) {
      const ssize_t got = ::pread(fd_.get(), buffer.data(), buffer.size(), at);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(system_error("reading what was exported", errno));
      if (got == 0) return {};
      HF_CHECK(into(std::string_view(buffer).substr(0, static_cast<std::size_t>(got))));
      at += got;
    }
  }

 private:
  explicit Spool(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

bool is_base64(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/' || c == '=';
  });
}

std::string anchor_of(const Subagent& agent) {
  std::string anchor = "agent-";
  for (const char c : agent.id) anchor += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '-';
  return anchor;
}

void open_document(Html& html, std::string_view title) {
  const std::string style = std::string(export_style().text()) + std::string(turn_style().text());
  html.raw("<!doctype html>\n").open("html", {{"lang", "en"}}).open("head").lone("meta", {{"charset", "utf-8"}});
  html.lone("meta", {{"http-equiv", "Content-Security-Policy"},
                     {"content",
                      fmt::format("default-src 'none'; img-src data:; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
                                  to_base64(bytes_of(sha256(style))))}});
  html.lone("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  html.lone("meta", {{"name", "referrer"}, {"content", "no-referrer"}});
  html.element("title", visible_line(title, kTitleChars));
  html.open("style").raw(export_style()).raw(turn_style()).close().close().open("body");
}

void write_heading(Html& html, const Heading& heading) {
  html.open("header").element("h1", visible_line(heading.title.empty() ? heading.id : heading.title, kTitleChars),
                              {{"dir", "auto"}});
  html.open("dl");
  const auto line = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) html.element("dt", visible_line(name, kTitleChars)).element("dd", visible_text(value), {{"dir", "auto"}});
  };
  line("session", heading.id);
  line("kind", heading.kind);
  line("project", heading.project);
  if (heading.first_time != 0) line("from", iso8601(heading.first_time));
  if (heading.last_time != 0) line("to", iso8601(heading.last_time));
  for (const auto& [name, value] : heading.details) line(name, value);
  line("resume", heading.resume_command);
  html.close().close();
}

void write_prompts(Html& html, const PromptTable& prompts) {
  if (prompts.lines().empty()) return;
  html.open("nav", {{"aria-label", "Prompts"}}).element("h2", "Prompts").open("ol", {{"class", "prompts"}});
  for (const PromptLine& line : prompts.lines()) {
    html.open("li", {{"dir", "auto"}});
    html.element("a", line.words.empty() ? fmt::format("line {}", line.line) : line.words,
                 {{"href", fmt::format("#msg-{}", line.line)}});
    if (line.time != 0) html.text(" ").element("span", iso8601(line.time).substr(0, 16), {{"class", "soft"}});
    if (const std::string tools = tools_text(line); !tools.empty()) html.text(" ").element("span", tools, {{"class", "soft"}});
    if (line.errors > 0) html.text(" ").element("span", fmt::format("{} failed", line.errors), {{"class", "soft bad"}});
    for (const GitCommit& commit : line.commits) {
      html.text(" ").open("span", {{"class", "soft"}}).text("commit ").element("code", commit.hash);
      html.text(fmt::format(" {}", commit.words)).close();
    }
    html.close();
  }
  html.close();
  if (prompts.prompts() > prompts.lines().size())
    html.element("p", fmt::format("and {} more", prompts.prompts() - prompts.lines().size()), {{"class", "soft"}});
  html.close();
}

TurnLinks links_of(bool subagents) {
  TurnLinks links;
  links.image = [](const Image& image) {
    return is_base64(image.base64) ? fmt::format("data:{};base64,{}", image.media_type, image.base64) : std::string();
  };
  if (subagents) links.subagent = [](const Subagent& agent) { return "#" + anchor_of(agent); };
  return links;
}

Result<void> spool_turns(Reading& reading, const ExportOptions& options, const TurnLinks& links, PromptTable& prompts,
                         Spool& spool) {
  Html html;
  HF_CHECK(each_exported(reading, options, [&](Turn& turn) -> Result<void> {
    prompts.add(turn);
    write_turn(html, turn, links);
    return html.size() >= kFlushBytes ? spool.add(html.take()) : Result<void>();
  }));
  return spool.add(html.take());
}

Result<Exported> export_html(Reading& reading, const ExportOptions& options, const ExportSink& sink) {
  Exported exported;
  HF_TRY(Spool spool, Spool::make());
  PromptTable prompts;
  TurnLinks links = links_of(options.subagents);
  HF_CHECK(spool_turns(reading, options, links, prompts, spool));
  exported.turns = prompts.turns();
  exported.prompts = prompts.prompts();
  const Heading heading = filtered_heading(reading.heading(), options);
  for (const Subagent& agent : heading.subagents) {
    if (!options.subagents) break;
    HF_TRY(auto inner, reading.subagent(agent.id));
    Html head;
    head.open("section", {{"id", anchor_of(agent)}});
    head.element("h2", fmt::format("Subagent {}: {}", visible_line(agent.type, kTitleChars),
                                   visible_line(agent.description, kTitleChars)));
    HF_CHECK(spool.add(head.take()));
    links.anchor = anchor_of(agent) + "-msg-";
    PromptTable inner_prompts;
    HF_CHECK(spool_turns(*inner, options, links, inner_prompts, spool));
    HF_CHECK(spool.add("</section>"));
    exported.turns += inner_prompts.turns();
    ++exported.subagents;
  }

  const auto out = [&](std::string_view bytes) -> Result<void> {
    exported.bytes += bytes.size();
    return sink(bytes);
  };
  Html html;
  open_document(html, heading.title.empty() ? heading.id : heading.title);
  write_heading(html, heading);
  html.open("main");
  write_prompts(html, prompts);
  HF_CHECK(out(html.take()));
  HF_CHECK(spool.pour(out));
  html.close().element("footer", "Exported by holdfast " HOLDFAST_VERSION);
  HF_CHECK(out(std::move(html).finish()));
  return exported;
}

}  // namespace

std::string_view ending_of(ExportFormat format) {
  return format == ExportFormat::html ? ".html" : format == ExportFormat::markdown ? ".md" : ".json";
}

Result<Exported> export_session(Reading& reading, const ExportOptions& options, const ExportSink& sink) {
  switch (options.format) {
    case ExportFormat::html:
      return export_html(reading, options, sink);
    case ExportFormat::markdown:
      return export_markdown(reading, options, sink);
    case ExportFormat::json:
      break;
  }
  return export_json(reading, options, sink);
}

std::string export_index(std::string_view title, const std::vector<ExportedFile>& files, ExportFormat format) {
  if (format != ExportFormat::html) {
    std::string out = fmt::format("# {}\n\n", visible_line(title, kTitleChars));
    for (const ExportedFile& file : files)
      out += fmt::format("- [{}](<{}>) {}\n",
                         visible_line(file.heading.title.empty() ? file.heading.id : file.heading.title, kTitleChars), file.file,
                         file.heading.last_time == 0 ? "" : iso8601(file.heading.last_time).substr(0, 16));
    return out;
  }
  Html html;
  open_document(html, title);
  html.open("header")
      .element("h1", visible_line(title, kTitleChars), {{"dir", "auto"}})
      .close()
      .open("main")
      .open("ul", {{"class", "prompts"}});
  for (const ExportedFile& file : files) {
    html.open("li", {{"dir", "auto"}});
    html.element("a", visible_line(file.heading.title.empty() ? file.heading.id : file.heading.title, kTitleChars),
                 {{"href", file.file}});
    std::string about = fmt::format(" {} prompts, {}", file.exported.prompts, bytes_text(file.exported.bytes));
    if (file.heading.last_time != 0) about += ", " + iso8601(file.heading.last_time).substr(0, 16);
    if (!file.heading.project.empty()) about += ", " + visible_line(file.heading.project, kTitleChars);
    html.element("span", about, {{"class", "soft"}}).close();
  }
  html.close().close().element("footer", "Exported by holdfast " HOLDFAST_VERSION);
  return std::move(html).finish();
}

}  // namespace holdfast::reading
