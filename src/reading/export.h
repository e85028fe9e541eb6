#pragma once

// A whole session as one document: HTML that needs nothing but itself, Markdown, or the turns as JSON.
//
// Streams: memory is that of a window and of the table of prompts. The HTML stands on its own: style and images inside, no
// script, a policy that forbids every request.

#include "reading/reading.h"

#include <functional>

namespace holdfast::reading {

enum class ExportFormat { html, markdown, json };
std::string_view ending_of(ExportFormat format);  // ".html", ".md", ".json"

struct ExportOptions {
  ExportFormat format = ExportFormat::html;
  bool detailed = false;  // Markdown: tools and thinking, too
  bool subagents = false;
  // Applied to every text of the session (redaction); empty: none.
  std::function<std::string(std::string_view)> filter;
  // Called now and then with the line that was reached and the last one; false stops the export (cancelled). May be empty.
  std::function<bool(std::uint64_t line, std::uint64_t last)> progress;
};

struct Exported {
  std::uint64_t bytes = 0;
  std::size_t turns = 0, prompts = 0, subagents = 0;
};

using ExportSink = std::function<Result<void>(std::string_view bytes)>;

Result<Exported> export_session(Reading& reading, const ExportOptions& options, const ExportSink& sink);

// The page that leads to several exports.
struct ExportedFile {
  std::string file;  // relative, ours
  Heading heading;
  Exported exported;
};
std::string export_index(std::string_view title, const std::vector<ExportedFile>& files, ExportFormat format);

}  // namespace holdfast::reading
