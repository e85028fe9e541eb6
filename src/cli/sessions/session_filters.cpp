#include "cli/sessions/session_filters.h"

#include "base/text/uri.h"
#include "session/kinds.h"
#include "tools/session/list_filters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace holdfast::cli {

namespace {

constexpr std::int64_t kListedSessions = 20, kMostListedSessions = 1000;
constexpr std::array<std::string_view, 4> kLists = {"type", "status", "kind", "visibility"};
constexpr std::array<std::string_view, 2> kFlags = {"completed", "pinned"};
constexpr std::array<std::string_view, 6> kTexts = {"q", "project", "updated_since", "updated_before", "sort", "cursor"};

template <std::size_t n>
bool is_one_of(std::string_view name, const std::array<std::string_view, n>& names) {
  return std::ranges::find(names, name) != names.end();
}

void add_to_list(JsonObject& filters, std::string_view name, std::string_view value) {
  Json& list = filters[name];
  if (!list.is_array()) list = JsonArray{};
  list.as_array().emplace_back(value);
}

// A person says kind for both kinds of session and kinds of threads; which is meant is seen from the word.
void add_kind(JsonObject& filters, std::string_view kind) {
  const bool of_session = std::ranges::any_of(
      session::kKinds, [&](std::string_view known) { return kind == known || kind == std::string(known) + "s"; });
  add_to_list(filters, of_session ? "type" : "kind", kind);
}

void add_flags(const operations::Given& given, JsonObject& filters) {
  for (const std::string_view name : {"type", "status", "visibility"})
    for (const std::string& word : given.texts(name)) add_to_list(filters, name, word);
  for (const std::string& kind : given.texts("kind")) add_kind(filters, kind);
  for (const std::string_view visibility : {"archived", "deleted"})
    if (given.flag(visibility)) add_to_list(filters, "visibility", visibility);
  for (const std::string_view name : kFlags)
    if (given.flag(name)) filters[name] = true;
  for (const auto& [name, option] :
       {std::pair{"q", "q"}, std::pair{"project", "project"}, std::pair{"updated_since", "since"},
        std::pair{"updated_before", "before"}, std::pair{"sort", "sort"}, std::pair{"cursor", "cursor"}})
    if (const std::string value = given.text(option); !value.empty()) filters[name] = value;
}

std::unexpected<Error> bad_word(std::string message) {
  return fail(
      ErrorKind::invalid, std::move(message),
      fmt::format("filters: {}, {}, {}, limit", fmt::join(kLists, ", "), fmt::join(kFlags, ", "), fmt::join(kTexts, ", ")),
      "INVALID_FILTER");
}

Result<void> add_word(const std::string& word, JsonObject& filters, std::int64_t& limit) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return bad_word(fmt::format("{} is not a filter", word));
  std::string name = word.substr(0, equals);
  std::string_view value = std::string_view(word).substr(equals + 1);
  if (name == "search") name = "q";
  if (name == "since" || name == "before") name = "updated_" + name;
  if (is_one_of(name, kFlags)) {
    if (value != "true" && value != "false") return bad_word(fmt::format("{} is true or false", name));
    filters[name] = value == "true";
  } else if (is_one_of(name, kLists)) {
    for (;;) {
      const std::size_t comma = value.find(',');
      const std::string_view part = value.substr(0, comma);
      if (name == "kind")
        add_kind(filters, part);
      else
        add_to_list(filters, name, part);
      if (comma == std::string_view::npos) break;
      value.remove_prefix(comma + 1);
    }
  } else if (is_one_of(name, kTexts)) {
    filters[name] = value;
  } else if (name == "limit") {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), limit);
    if (error != std::errc{} || end != value.data() + value.size() || limit < 1 || limit > kMostListedSessions)
      return bad_word(fmt::format("limit is a number from 1 to {}", kMostListedSessions));
  } else {
    return bad_word(fmt::format("there is no filter {}", name));
  }
  return {};
}

}  // namespace

Result<session::Query> read_session_filters(const Context& context) {
  JsonObject filters;
  std::int64_t limit = context.given.number("limit", kListedSessions);
  add_flags(context.given, filters);
  for (const std::string& word : context.given.texts("filter")) HF_CHECK(add_word(word, filters, limit));
  HF_TRY(session::Query query, tools::read_filters(filters, context.clock->now()));
  query.principal = context.settings.text("principal");
  query.limit = static_cast<std::size_t>(limit);
  // A person at a shell sees everything; only a root that was asked for narrows the list.
  if (context.flags.contains("root")) {
    HF_TRY(std::string root, canonical_root(context.settings.text("root")));
    query.roots = {std::move(root)};
  }
  return query;
}

}  // namespace holdfast::cli
