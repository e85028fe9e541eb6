#include "kinds/research/engine/evidence.h"

#include "base/ids.h"
#include "reading/entry_reading.h"

#include <algorithm>

namespace holdfast::research {

namespace {

constexpr std::size_t kInnerIdLength = 8;  // unique within a run

double decimal_in(const JsonObject& object, std::string_view key) {
  const Json* value = find(object, key);
  if (!value) return 0;
  if (value->is_double()) return value->get_double();
  return value->is_int64() ? static_cast<double>(value->get_int64()) : 0;
}

int stored_priority(const JsonObject& object) {
  return static_cast<int>(std::clamp<std::int64_t>(find_int(object, "priority").value_or(5), 1, 10));
}

}  // namespace

std::string make_inner_id(std::string_view prefix) {
  return std::string(prefix) + random_base62(kInnerIdLength);
}

JsonObject json_of(const SubQuery& question) {
  return {{"id", question.id},
          {"query", question.query},
          {"search", question.search},
          {"rationale", question.rationale},
          {"priority", question.priority}};
}

SubQuery read_sub_query(const JsonObject& data) {
  SubQuery question;
  question.id = text_in(data, "id");
  question.query = text_in(data, "query");
  question.search = text_in(data, "search");
  question.rationale = text_in(data, "rationale");
  question.priority = stored_priority(data);
  return question;
}

JsonObject json_of(const Source& source) {
  JsonObject data{{"id", source.id},
                  {"citation_number", source.citation},
                  {"uri", source.uri},
                  {"title", source.title},
                  {"type", source.type},
                  {"quality", source.quality},
                  {"snippet", source.snippet},
                  {"content_sha256", source.content_sha256},
                  {"retrieved_at", iso8601(source.retrieved_at)},
                  {"provider", source.provider},
                  {"sub_query_id", source.sub_query_id},
                  {"fidelity", source.fidelity}};
  if (!source.locator.empty()) data["locator"] = source.locator;
  if (!source.published.empty()) data["published"] = source.published;
  return data;
}

Source read_source(const session::Entry& entry) {
  const JsonObject data = reading::data_of_entry(entry);
  Source source;
  source.id = text_in(data, "id");
  source.citation = entry.number;
  source.uri = text_in(data, "uri");
  source.title = text_in(data, "title");
  source.type = text_in(data, "type");
  source.snippet = text_in(data, "snippet");
  source.content = entry.text;
  source.content_sha256 = text_in(data, "content_sha256");
  source.locator = text_in(data, "locator");
  source.published = text_in(data, "published");
  source.provider = text_in(data, "provider");
  source.sub_query_id = text_in(data, "sub_query_id");
  source.quality = decimal_in(data, "quality");
  source.retrieved_at = find_int(data, "retrieved_at").value_or(entry.time);
  return source;
}

JsonObject json_of(const Finding& finding) {
  JsonArray quotes;
  for (const Quote& quote : finding.quotes)
    quotes.push_back(JsonObject{{"text", quote.text}, {"source_id", quote.source_id}, {"verified", quote.verified}});
  JsonObject data{{"id", finding.id},
                  {"confidence", finding.confidence},
                  {"source_ids", to_json_array(finding.source_ids)},
                  {"quotes", std::move(quotes)},
                  {"category", finding.category}};
  if (!finding.sub_query_id.empty()) data["sub_query_id"] = finding.sub_query_id;
  return data;
}

Finding read_finding(const session::Entry& entry) {
  const JsonObject data = reading::data_of_entry(entry);
  Finding finding;
  finding.id = text_in(data, "id");
  finding.content = entry.text;
  finding.confidence = text_in(data, "confidence");
  finding.category = text_in(data, "category");
  finding.source_ids = strings_in(data, "source_ids");
  finding.sub_query_id = text_in(data, "sub_query_id");
  if (const JsonArray* quotes = find_array(data, "quotes"))
    for (const Json& each : *quotes)
      if (each.is_object())
        finding.quotes.push_back({text_in(each.get_object(), "text"), text_in(each.get_object(), "source_id"),
                                  find_bool(each.get_object(), "verified").value_or(false)});
  return finding;
}

JsonObject json_of(const Gap& gap) {
  return {{"id", gap.id}, {"suggested_queries", to_json_array(gap.suggested_queries)}, {"priority", gap.priority}};
}

Gap read_gap(const session::Entry& entry) {
  const JsonObject data = reading::data_of_entry(entry);
  Gap gap;
  gap.id = text_in(data, "id");
  gap.description = entry.text;
  gap.suggested_queries = strings_in(data, "suggested_queries");
  gap.priority = stored_priority(data);
  return gap;
}

JsonObject json_of(const Contradiction& contradiction) {
  JsonObject data{{"id", contradiction.id},
                  {"finding_ids", to_json_array(contradiction.finding_ids)},
                  {"severity", contradiction.severity},
                  {"resolution", contradiction.resolution}};
  if (!contradiction.preferred_source_id.empty()) data["preferred_source_id"] = contradiction.preferred_source_id;
  return data;
}

Contradiction read_contradiction(const session::Entry& entry) {
  const JsonObject data = reading::data_of_entry(entry);
  Contradiction contradiction;
  contradiction.id = text_in(data, "id");
  contradiction.description = entry.text;
  contradiction.finding_ids = strings_in(data, "finding_ids");
  contradiction.severity = text_in(data, "severity");
  contradiction.resolution = text_in(data, "resolution");
  contradiction.preferred_source_id = text_in(data, "preferred_source_id");
  return contradiction;
}

JsonObject json_of(const StoredReport& report) {
  return {{"iteration", report.iteration},
          {"findings", report.findings},
          {"engine", report.engine},
          {"empty", report.empty},
          {"truncated", report.truncated},
          {"citation_check",
           {{"cited", report.check.cited},
            {"dangling_removed", report.check.dangling_removed},
            {"unreferenced", report.check.unreferenced},
            {"links_removed", report.check.links_removed}}},
          {"warnings", to_json_array(report.warnings)}};
}

StoredReport read_report(const session::Entry& entry) {
  const JsonObject data = reading::data_of_entry(entry);
  StoredReport report;
  report.text = entry.text;
  report.iteration = find_int(data, "iteration").value_or(0);
  report.findings = find_int(data, "findings").value_or(0);
  report.engine = text_in(data, "engine");
  report.empty = find_bool(data, "empty").value_or(false);
  report.truncated = find_bool(data, "truncated").value_or(false);
  if (const JsonObject* check = find_object(data, "citation_check"))
    report.check = {find_int(*check, "cited").value_or(0), find_int(*check, "dangling_removed").value_or(0),
                    find_int(*check, "unreferenced").value_or(0), find_int(*check, "links_removed").value_or(0)};
  report.warnings = strings_in(data, "warnings");
  return report;
}

}  // namespace holdfast::research
