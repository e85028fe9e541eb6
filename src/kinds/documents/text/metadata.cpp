// What is written between the marks of a block. Its metadata: {"id":"c_k3f9","author":"dev's AI","timestamp":1767225600000}@@

#include "base/json/json.h"
#include "kinds/documents/text/markup.h"

#include <fmt/format.h>

namespace holdfast::documents {

namespace {

constexpr std::string_view kEnd = "@@";

// The end of a JSON object that begins here, by its braces; strings are skipped. npos when it is none or too long.
std::size_t object_end(std::string_view text) {
  if (!text.starts_with('{')) return std::string_view::npos;
  bool in_string = false;
  int depth = 0;
  for (std::size_t i = 0; i < text.size() && i < kMaxMetadataBytes; ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

// Escapes what could be taken for a delimiter or for the end of the metadata.
std::string harmless_json(std::string_view text) {
  std::string out;
  for (const char c : to_json(Json(text))) {
    if (std::string_view("{}@+-~=<>").find(c) != std::string_view::npos)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

}  // namespace

std::optional<Metadata> read_metadata(std::string_view text) {
  const std::size_t end = object_end(text);
  if (end == std::string_view::npos || text.substr(end, kEnd.size()) != kEnd) return std::nullopt;
  const auto value = parse_json(text.substr(0, end));
  if (!value || !value->is_object()) return std::nullopt;
  const JsonObject& fields = value->get_object();
  const auto author = find_string(fields, "author");
  if (!author) return std::nullopt;
  Metadata metadata;
  metadata.author = *author;
  metadata.id = find_string(fields, "id").value_or("");
  metadata.by = find_string(fields, "by").value_or("");
  metadata.on = find_string(fields, "on").value_or("");
  metadata.timestamp = find_int(fields, "timestamp");
  metadata.bytes = end + kEnd.size();
  return metadata;
}

std::string write_metadata(std::string_view id, std::string_view author, Millis timestamp, std::string_view by) {
  std::string out = "{";
  if (!id.empty()) out += fmt::format("\"id\":{},", harmless_json(id));
  out += fmt::format("\"author\":{},\"timestamp\":{}", harmless_json(author), timestamp);
  if (!by.empty()) out += fmt::format(",\"by\":{}", harmless_json(by));
  return out + "}@@";
}

std::string write_comment_metadata(std::string_view author, Millis timestamp, std::string_view on) {
  return fmt::format("{{\"author\":{},\"timestamp\":{},\"on\":{}}}@@", harmless_json(author), timestamp, harmless_json(on));
}

std::string escape_note(std::string_view note) {
  std::string out;
  for (const char c : note) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c != '\r')
      out += c;
  }
  return out;
}

std::string unescape_note(std::string_view note) {
  std::string out;
  for (std::size_t i = 0; i < note.size(); ++i) {
    const char next = i + 1 < note.size() ? note[i + 1] : '\0';
    const bool escape = note[i] == '\\' && (next == 'n' || next == '\\');
    if (escape) ++i;
    out += escape && next == 'n' ? '\n' : note[i];
  }
  return out;
}

}  // namespace holdfast::documents
