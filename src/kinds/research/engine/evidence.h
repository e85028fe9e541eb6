#pragma once

// What a run gathers and concludes: questions, sources, findings, gaps, contradictions, reports (threads-and-research §10).
//
// Values. Each is one entry of the session: `text` of the entry is the prose (content of a source, a finding's sentence), `data`
// the rest as JSON. The same JSON, with the prose put back, is what replies show. Reading is tolerant: a redacted or odd entry
// gives empty members, never an error, so that one of them cannot stop a run.

#include "base/json/json.h"
#include "session/entry.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

struct SubQuery {
  std::string id;  // subq-
  std::string query;
  std::string search;  // the words handed to providers when they differ from the query
  std::string rationale;
  int priority = 5;  // 1..10, higher first
};

struct Source {
  std::string id;  // src-
  std::int64_t citation = 0;
  std::string uri, title, type;
  std::string snippet, content;  // content is empty when only the snippet is known
  std::string content_sha256;    // of text()
  std::string locator, published, provider, sub_query_id;
  std::string fidelity = "full";  // full, trimmed, dropped: how much of it the analysis saw
  double quality = 0;             // the provider's score, 0..1
  Millis retrieved_at = 0;
  bool analysed = false;

  const std::string& text() const { return content.empty() ? snippet : content; }
};

struct Quote {
  std::string text, source_id;
  bool verified = false;  // stands in the source, white space aside
};

struct Finding {
  std::string id;  // find-
  std::string content, confidence = "medium", category;
  std::vector<std::string> source_ids;  // all exist
  std::vector<Quote> quotes;
  std::string sub_query_id;  // may be empty
};

struct Gap {
  std::string id;  // gap-
  std::string description;
  std::vector<std::string> suggested_queries;
  int priority = 5;
  bool resolved = false;
};

struct Contradiction {
  std::string id;  // contra-
  std::vector<std::string> finding_ids;
  std::string description, severity = "minor", resolution, preferred_source_id;
};

struct CitationCheck {
  std::int64_t cited = 0;             // different sources named in the text
  std::int64_t dangling_removed = 0;  // [n] without a source
  std::int64_t unreferenced = 0;      // sources nobody cites
  std::int64_t links_removed = 0;     // addresses that no source has
};

struct StoredReport {
  std::string text;  // markdown
  std::int64_t iteration = 0;
  std::int64_t findings = 0;  // it was written from
  std::string engine;         // "extractive", or the model's name
  bool empty = false, truncated = false;
  CitationCheck check;
  std::vector<std::string> warnings;
};

// "src-" and 8 characters.
std::string make_inner_id(std::string_view prefix);

JsonObject json_of(const SubQuery& question);
JsonObject json_of(const Source& source);  // without the text
JsonObject json_of(const Finding& finding);
JsonObject json_of(const Gap& gap);
JsonObject json_of(const Contradiction& contradiction);
JsonObject json_of(const StoredReport& report);

SubQuery read_sub_query(const JsonObject& data);
Source read_source(const session::Entry& entry);
Finding read_finding(const session::Entry& entry);
Gap read_gap(const session::Entry& entry);
Contradiction read_contradiction(const session::Entry& entry);
StoredReport read_report(const session::Entry& entry);

}  // namespace holdfast::research
