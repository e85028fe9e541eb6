#include "session/query/search.h"

#include "search/index/text_search.h"
#include "session/limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::session {

bool is_in_time(const SearchQuery& query, Millis time) {
  return (!query.since || time >= *query.since) && (!query.until || time < *query.until);
}

search::PassageRole role_of_entry(std::string_view type, std::string_view data) {
  using enum search::PassageRole;
  if (type == "thought") return thinking;
  if (type == "call") return tool_call;
  if (type == "result") return tool_result;
  if (type == "message" || type == "request") return data.contains(R"("role":"assistant")") ? assistant : user;
  return type == "notice" ? system : assistant;
}

bool has_role(const SearchQuery& query, search::PassageRole role) {
  return query.roles.empty() || std::ranges::find(query.roles, role) != query.roles.end();
}

Result<void> check_search(const SearchQuery& query) {
  if (query.limit < 1 || query.limit > kMaxSearchLimit) {
    return fail(ErrorKind::invalid, fmt::format("limit must be 1 to {}, not {}", kMaxSearchLimit, query.limit));
  }
  if (query.text.size() > kMaxSearchTextBytes) {
    return fail(ErrorKind::too_large, fmt::format("at most {} bytes can be searched for", kMaxSearchTextBytes));
  }
  return {};
}

void show_match(SearchHit& hit, const search::TextSearch& words, std::string_view text, search::PassageMatch match) {
  hit.score = match.score;
  search::Snippet snippet = words.snippet(text, match);
  hit.snippet = std::move(snippet.text);
  hit.highlights = std::move(snippet.highlights);
}

void show_damage(SearchHit& hit, std::string_view damage) {
  const std::string mark = fmt::format("[damaged: {}] ", damage);
  hit.snippet.insert(0, mark);
  for (auto& [begin, end] : hit.highlights) begin += mark.size(), end += mark.size();
}

}  // namespace holdfast::session
