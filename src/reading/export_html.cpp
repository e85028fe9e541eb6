#include "base/crypto/hash.h"
#include "base/files/fd.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "reading/export_parts.h"
#include "reading/html/html_turns.h"
#include "reading/html/prompt_table.h"
#include "reading/html/turn_style.h"
#include "reading/html/visible_text.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace holdfast::reading {
namespace {

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

}  // namespace

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
