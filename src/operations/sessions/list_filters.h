#pragma once

// Which sessions to list, from conditions as people and models write them (threads-and-research §8). The same for every list.

#include "operations/context.h"
#include "operations/parameter.h"
#include "session/query/query.h"

namespace holdfast::operations {

inline constexpr std::int64_t kListLimit = 20;   // sessions of a list, when nobody says how many
inline constexpr std::int64_t kMaxItems = 1000;  // entries, thoughts or messages of one session in one answer

inline constexpr std::array kFilterParameters{
    Parameter{.name = "type", .type = Parameter::Type::texts, .help = "kind of session, or all"},
    Parameter{.name = "completed", .type = Parameter::Type::choice, .help = "list: research that is completed, or is not"},
    Parameter{.name = "kind", .type = Parameter::Type::texts, .help = "list: chat, thinkdeep, ideate or consensus"},
    Parameter{.name = "q", .help = "list: part of title, description, opening or tags"},
    Parameter{.name = "status", .type = Parameter::Type::texts, .help = "list: only these"},
    Parameter{.name = "visibility", .type = Parameter::Type::texts, .help = "live, archived, deleted; default live and archived"},
    Parameter{.name = "tags", .type = Parameter::Type::texts, .help = "list: all of them; update: replaces the tags"},
    Parameter{.name = "pinned", .type = Parameter::Type::choice},
    Parameter{.name = "project"},
    Parameter{.name = "updated_since", .help = "3d, 2026-07-01 or ISO 8601"},
    Parameter{.name = "updated_before"},
    Parameter{.name = "sort", .words = "updated_at|created_at|due_at"},
    Parameter{.name = "limit", .type = Parameter::Type::number, .least = 1},
    Parameter{.name = "offset", .type = Parameter::Type::number},
    Parameter{.name = "cursor", .help = "next_cursor of the page before"}};
inline constexpr std::array kRootParameters{
    Parameter{.name = "root", .help = "project root, a file URI or absolute path"},
    Parameter{.name = "all_roots", .type = Parameter::Type::choice, .help = "not only the current project"}};

// Errors: INVALID_FILTER for conditions that contradict each other or ask for what does not exist; invalid_argument.
Result<session::Query> read_filters(const Given& given, Millis now);
// {type}: a kind, its plural, or "all"; without it every kind kept in the store (design 8.3).
Result<std::vector<std::string>> kinds_of(const Given& given);
Result<std::vector<session::Visibility>> visibilities_of(const Given& given);
// A time (base/run/when.h). Errors: invalid, naming it.
Result<std::optional<Millis>> time_of(const Given& given, std::string_view name, Millis now);
// {limit}; outside of 1..highest it is refused: who asked for more must not take what there is for all.
Result<std::size_t> limit_of(const Given& given, std::int64_t fallback, std::int64_t highest);

// {format}: markdown, or json. Errors: invalid.
Result<std::string> document_format(const Given& given);

// {<member>[], count, total, next_cursor?}: those of one kind that the store has.
Result<JsonObject> list_of_kind(Context& context, const Given& given, std::string_view kind, std::string_view member);

// Limits a query to the project that the call is about, unless {all_roots}. Errors: asked().
template <class Query>
Result<void> limit_to_roots(Context& context, const Given& given, Query& query) {
  if (given.flag("all_roots")) return {};
  HF_TRY(ListedRoots about, context.listed_roots());
  query.rootless = about.rootless && !about.roots.empty();
  query.roots = std::move(about.roots);
  return {};
}

}  // namespace holdfast::operations
