#include "model/wire/structured.h"

#include "base/text/text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace holdfast::model {
namespace {

using Fits = std::function<bool(const JsonObject&)>;

// Each candidate costs a scan to the end at worst; a text with more opening braces in front of its object is no answer.
constexpr int kMaxCandidates = 64;
constexpr std::string_view kFence = "```";
constexpr std::string_view kThoughtEnd = "</think>";

std::optional<JsonObject> whole_object(std::string_view text, const Fits& fits) {
  text = trim(text);
  if (!text.starts_with('{')) return std::nullopt;
  auto parsed = parse_json(text);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  if (fits && !fits(parsed->as_object())) return std::nullopt;
  return std::move(parsed->as_object());
}

std::optional<JsonObject> fenced_object(std::string_view text, const Fits& fits) {
  for (int candidates = 0; candidates < kMaxCandidates; ++candidates) {
    const std::size_t open = text.find(kFence);
    if (open == text.npos) break;
    text.remove_prefix(open + kFence.size());
    const std::size_t line = text.find('\n');  // behind the name of the language
    const std::size_t close = text.find(kFence);
    if (close == text.npos) break;
    if (line < close)
      if (auto object = whole_object(text.substr(line, close - line), fits)) return object;
    text.remove_prefix(close + kFence.size());
  }
  return std::nullopt;
}

// Where the object that begins at the first byte ends; npos when it does not. A brace inside a string is text.
std::size_t balanced_end(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') {
        ++at;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return at + 1;
    }
  }
  return text.npos;
}

std::optional<JsonObject> balanced_object(std::string_view text, const Fits& fits) {
  for (int candidates = 0; candidates < kMaxCandidates; ++candidates) {
    const std::size_t open = text.find('{');
    if (open == text.npos) break;
    text.remove_prefix(open);
    const std::size_t end = balanced_end(text);
    if (end != text.npos)
      if (auto object = whole_object(text.substr(0, end), fits)) return object;
    text.remove_prefix(1);  // the real one may stand inside of what only looked like one
  }
  return std::nullopt;
}

}  // namespace

std::optional<JsonObject> object_in(std::string_view text, const Fits& fits) {
  if (auto object = whole_object(text, fits)) return object;
  if (const std::size_t thought = text.find(kThoughtEnd); thought != text.npos) {
    text.remove_prefix(thought + kThoughtEnd.size());
    if (auto object = whole_object(text, fits)) return object;
  }
  if (auto object = fenced_object(text, fits)) return object;
  return balanced_object(text, fits);
}

Result<StructuredReply> ask_object(Models& models, const Ask& ask, const Fits& fits) {
  StructuredReply structured;
  HF_TRY(structured.reply, models.complete(ask));
  structured.tokens = structured.reply.tokens;
  structured.object = object_in(structured.reply.content, fits);
  if (structured.object) return structured;

  Ask repair = ask;
  repair.on_text = {};
  repair.on_restart = {};
  repair.messages.push_back({"assistant", structured.reply.content});
  repair.messages.push_back({"user",
                             "That was not the JSON object I asked for. Answer again with exactly one JSON object of the form "
                             "described above, with nothing before or behind it."});
  auto again = models.complete(repair);
  if (!again) {
    if (again.error().kind == ErrorKind::cancelled) return fail(std::move(again).error());
    return structured;  // the first answer stands as text
  }
  structured.asks = 2;
  structured.tokens += again->tokens;
  structured.object = object_in(again->content, fits);
  return structured;
}

std::string text_member(const JsonObject& object, std::string_view key) {
  const Json* value = find(object, key);
  if (!value) return {};
  if (value->is_string()) return std::string(trim(view(value->as_string())));
  return value->is_number() || value->is_bool() ? to_json(*value) : std::string();
}

std::optional<double> number_member(const JsonObject& object, std::string_view key) {
  const Json* value = find(object, key);
  if (!value) return std::nullopt;
  if (value->is_double()) return std::isfinite(value->as_double()) ? std::optional(value->as_double()) : std::nullopt;
  if (value->is_int64()) return static_cast<double>(value->as_int64());
  if (value->is_uint64()) return static_cast<double>(value->as_uint64());
  if (!value->is_string()) return std::nullopt;
  std::string_view text = trim(view(value->as_string()));
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || !std::isfinite(number)) return std::nullopt;
  const std::string_view rest = trim(text.substr(static_cast<std::size_t>(end - text.data())));
  return rest.empty() || rest.front() == '/' || rest.front() == '%' ? std::optional(number) : std::nullopt;
}

std::optional<bool> bool_member(const JsonObject& object, std::string_view key) {
  const Json* value = find(object, key);
  if (!value) return std::nullopt;
  if (value->is_bool()) return value->as_bool();
  const std::string text = to_ascii_lower(text_member(object, key));
  if (text == "true" || text == "yes" || text == "1") return true;
  if (text == "false" || text == "no" || text == "0") return false;
  return std::nullopt;
}

std::vector<std::string> texts_member(const JsonObject& object, std::string_view key) {
  std::vector<std::string> texts;
  if (const JsonArray* list = find_array(object, key)) {
    for (const Json& item : *list) {
      if (item.is_string()) texts.emplace_back(trim(view(item.as_string())));
      if (item.is_number()) texts.push_back(to_json(item));
    }
  } else {
    texts.push_back(text_member(object, key));
  }
  std::erase(texts, std::string());
  return texts;
}

std::vector<const JsonObject*> objects_member(const JsonObject& object, std::string_view key) {
  std::vector<const JsonObject*> objects;
  if (const JsonObject* single = find_object(object, key)) objects.push_back(single);
  if (const JsonArray* list = find_array(object, key))
    for (const Json& item : *list)
      if (item.is_object()) objects.push_back(&item.as_object());
  return objects;
}

}  // namespace holdfast::model
