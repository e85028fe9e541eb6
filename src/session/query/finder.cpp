#include "session/query/finder.h"

namespace holdfast::session {
namespace {

JsonObject json_of(const FoundPlace& place) {
  JsonObject json{{"line", place.line}, {"role", name_of(place.role)}, {"snippet", place.snippet}, {"source", place.source}};
  if (!place.tool.empty()) json["tool"] = place.tool;
  if (place.time > 0) json["time"] = iso8601(place.time);
  JsonArray highlights;
  for (const auto& [begin, end] : place.highlights) highlights.emplace_back(JsonArray{begin, end});
  json["highlights"] = std::move(highlights);
  return json;
}

}  // namespace

JsonObject json_of(const FoundInSession& found) {
  JsonObject json{{"session_id", found.id},   {"kind", found.kind},     {"title", found.title},
                  {"project", found.project}, {"status", found.status}, {"updated_at", iso8601(found.time)}};
  if (!found.product.empty()) json["product"] = found.product;
  if (!found.branch.empty()) json["branch"] = found.branch;
  if (!found.resume.empty()) json["resume_command"] = found.resume;
  if (found.size > 0) json["bytes"] = found.size;
  JsonArray places;
  for (const FoundPlace& place : found.places) places.emplace_back(json_of(place));
  json["matches"] = std::move(places);
  return json;
}

JsonObject json_of(const FindResult& result) {
  JsonArray sessions;
  for (const FoundInSession& found : result.sessions) sessions.emplace_back(json_of(found));
  const std::size_t count = sessions.size();
  JsonArray unreadable;
  for (const search::Unreadable& each : result.unreadable)
    unreadable.emplace_back(JsonObject{{"source", each.key}, {"reason", each.reason}});
  JsonObject json{{"sessions", std::move(sessions)},
                  {"count", count},
                  {"hasMore", result.more},
                  {"hasMorePlaces", result.more_places},
                  {"unreadable", std::move(unreadable)}};
  if (result.coverage)
    json["index"] = JsonObject{{"source_bytes", result.coverage->index.source_bytes},
                               {"indexed_bytes", result.coverage->index.indexed_bytes},
                               {"scanned_bytes", result.coverage->bytes_scanned}};
  return json;
}

}  // namespace holdfast::session
