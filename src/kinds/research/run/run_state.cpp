#include "kinds/research/run/run_state.h"

#include "base/text/text.h"
#include "reading/entry_reading.h"
#include "session/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::research {

namespace {

constexpr std::size_t kTellingTitle = 20;  // characters; shorter titles ("Introduction") are shared by strangers (§10)

// Parameters that say where a reader came from, not what is read.
constexpr std::array kTrackingPrefixes = {std::string_view("utm_")};
constexpr std::array kTracking = {std::string_view("fbclid"), std::string_view("gclid"), std::string_view("ref_src"),
                                  std::string_view("mc_cid"), std::string_view("mc_eid")};

bool is_tracking(std::string_view parameter) {
  const std::string_view name = parameter.substr(0, parameter.find('='));
  return std::ranges::any_of(kTrackingPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); }) ||
         std::ranges::find(kTracking, name) != kTracking.end();
}

std::string without_tracking(std::string_view parameters) {
  std::string kept;
  for (std::size_t begin = 0; begin < parameters.size();) {
    const std::size_t end = std::min(parameters.find('&', begin), parameters.size());
    const std::string_view parameter = parameters.substr(begin, end - begin);
    begin = end + 1;
    if (parameter.empty() || is_tracking(parameter)) continue;
    if (!kept.empty()) kept += '&';
    kept += parameter;
  }
  return kept;
}

}  // namespace

std::string comparable_title(std::string_view title) {
  std::string comparable;
  for (const char c : fold_case(title)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_letter = byte >= 0x80 || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool is_blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (is_letter) comparable += c;
    if (is_blank && !comparable.empty() && comparable.back() != ' ') comparable += ' ';
  }
  if (comparable.ends_with(' ')) comparable.pop_back();
  return utf8_length(comparable) > kTellingTitle ? comparable : std::string();
}

std::string canonical_uri(std::string_view uri) {
  uri = trim(uri);
  const std::size_t colon = uri.find("://");
  if (colon == std::string_view::npos) return std::string(uri);
  const std::string scheme = to_ascii_lower(uri.substr(0, colon));
  if (scheme != "http" && scheme != "https") return std::string(uri);  // in a corpus the fragment is the place
  uri.remove_prefix(colon + 3);
  uri = uri.substr(0, uri.find('#'));
  const std::size_t question = uri.find('?');
  const std::string parameters = question == std::string_view::npos ? std::string() : without_tracking(uri.substr(question + 1));
  std::string address(uri.substr(0, question));
  while (address.ends_with('/')) address.pop_back();
  const std::size_t slash = address.find('/');
  std::string host = to_ascii_lower(std::string_view(address).substr(0, slash));
  const std::string_view port = scheme == "http" ? ":80" : ":443";
  if (host.ends_with(port)) host.resize(host.size() - port.size());
  std::string canonical = scheme + "://" + host;
  if (slash != std::string::npos) canonical += address.substr(slash);
  if (!parameters.empty()) canonical += "?" + parameters;
  return canonical;
}

std::string Unit::key() const {
  return fmt::format("{}/{}/{}", iteration, phase, name);
}

const JsonObject* RunState::mark(const Unit& unit) const {
  const auto place = units.find(unit.key());
  return place == units.end() ? nullptr : &place->second;
}

std::int64_t RunState::iteration() const {
  return questions.empty() ? 1 : questions.rbegin()->first;
}

const Source* RunState::source(std::string_view id) const {
  const auto place = by_id_.find(id);
  return place == by_id_.end() ? nullptr : &sources[place->second];
}

const Source* RunState::same_as(std::string_view uri, std::string_view title) const {
  if (const auto place = by_uri_.find(canonical_uri(uri)); place != by_uri_.end()) return &sources[place->second];
  const std::string comparable = comparable_title(title);
  if (comparable.empty()) return nullptr;
  const auto place = by_title_.find(comparable);
  return place == by_title_.end() ? nullptr : &sources[place->second];
}

bool RunState::has_open_gaps() const {
  return std::ranges::any_of(gaps, [](const Gap& gap) { return !gap.resolved; });
}

void RunState::add_source(Source source) {
  const std::size_t index = sources.size();
  if (source.id.empty()) source.analysed = true;  // nothing of it is left; a mark could not name it
  by_id_.emplace(source.id, index);
  by_uri_.emplace(canonical_uri(source.uri), index);
  if (std::string title = comparable_title(source.title); !title.empty()) by_title_.emplace(std::move(title), index);
  sources.push_back(std::move(source));
}

void RunState::add_mark(const JsonObject& data) {
  if (text_in(data, "state") != "done") {
    if (!find_bool(data, kGatherAgain).value_or(false)) return;
    const std::string unit = text_in(data, "unit");
    const std::string_view phase = std::string_view(unit).substr(0, unit.rfind('/') + 1);
    std::erase_if(units, [&](const auto& done) { return done.first.starts_with(phase); });
    ++gathered_anew;
    return;
  }
  units[text_in(data, "unit")] = data;
  for (const std::string& id : strings_in(data, "analysed"))
    if (const auto place = by_id_.find(id); place != by_id_.end()) sources[place->second].analysed = true;
  if (const JsonObject* fidelity = find_object(data, "fidelity"))
    for (const auto& [id, word] : *fidelity)
      if (const auto place = by_id_.find(std::string_view(id)); place != by_id_.end() && word.is_string())
        sources[place->second].fidelity = view(word.get_string());
  for (const std::string& id : strings_in(data, "resolved"))
    for (Gap& gap : gaps)
      if (gap.id == id) gap.resolved = true;
}

void RunState::add(const session::Entry& entry) {
  if (entry.damage) {  // nobody knows that it was found
    damaged.push_back(entry.seq);
    return;
  }
  if (entry.redacted) {
    const std::hash<std::string> hash;
    redactions = (redactions * 31 + hash(entry.text)) * 31 + hash(entry.data) + 1;
  }
  if (entry.type == "plan") {
    const JsonObject data = reading::data_of_entry(entry);
    if (!entry.text.empty()) brief = entry.text;
    for (std::string& assumption : strings_in(data, "assumptions")) assumptions.push_back(std::move(assumption));
    auto& list = questions[find_int(data, "iteration").value_or(1)];
    if (const JsonArray* array = find_array(data, "sub_queries"))
      for (const Json& each : *array)
        if (each.is_object()) list.push_back(read_sub_query(each.get_object()));
  } else if (entry.type == "source") {
    add_source(read_source(entry));
  } else if (entry.type == "page") {
    const JsonObject data = reading::data_of_entry(entry);
    if (const auto place = by_id_.find(text_in(data, "id")); place != by_id_.end()) {
      sources[place->second].content = entry.text;
      sources[place->second].content_sha256 = text_in(data, "content_sha256");
    }
  } else if (entry.type == "finding") {
    findings.push_back(read_finding(entry));
  } else if (entry.type == "gap") {
    gaps.push_back(read_gap(entry));
  } else if (entry.type == "contradiction") {
    contradictions.push_back(read_contradiction(entry));
  } else if (entry.type == "report") {
    reports.push_back(read_report(entry));
  } else if (entry.type == "unit") {
    add_mark(reading::data_of_entry(entry));
  }
}

Result<RunState> read_state(session::Reader& reader, std::string_view session) {
  RunState state;
  session::EntryQuery query;
  query.session = session;
  query.limit = session::kMaxEntryLimit;
  query.types = {"plan", "source", "page", "finding", "gap", "contradiction", "report", "unit"};
  while (true) {
    HF_TRY(session::EntryPage page, reader.entries(query));
    for (const session::Entry& entry : page.entries) state.add(entry);
    if (!page.next) return state;
    query.from = *page.next;
  }
}

}  // namespace holdfast::research
