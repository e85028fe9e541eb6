#include "kinds/research/run/job.h"

#include "base/ids.h"
#include "base/text/text.h"
#include "kinds/research/engine/evidence.h"
#include "kinds/research/run/run.h"
#include "session/kinds.h"
#include "session/limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace holdfast::research {

namespace {

// kLimits by member, so that a name cannot be misspelt in one of two places.
constexpr std::array<std::pair<std::string_view, std::int64_t Limits::*>, 9> kMembers = {{
    {"max_iterations", &Limits::max_iterations},
    {"max_sub_queries", &Limits::max_sub_queries},
    {"max_sources_per_query", &Limits::max_sources_per_query},
    {"max_concurrent", &Limits::max_concurrent},
    {"timeout_per_operation", &Limits::timeout_per_operation},
    {"task_timeout", &Limits::task_timeout},
    {"max_tokens_total", &Limits::max_tokens_total},
    {"max_llm_calls", &Limits::max_llm_calls},
    {"max_search_calls", &Limits::max_search_calls},
}};
static_assert(kMembers.size() == std::size(kLimits));

}  // namespace

Limits read_limits(const JsonObject* limits) {
  Limits read;
  for (std::size_t i = 0; i < kMembers.size(); ++i) {
    const LimitInfo& info = kLimits[i];
    const auto given = limits ? find_int(*limits, info.name) : std::nullopt;
    const bool fits = given && *given >= info.lowest && *given <= info.highest;
    read.*kMembers[i].second = fits ? *given : info.fallback;
  }
  return read;
}

JsonObject json_of(const Limits& limits) {
  JsonObject object;
  for (const auto& [name, member] : kMembers) object[name] = limits.*member;
  return object;
}

Job read_job(const session::SessionRecord& record) {
  Job job;
  job.id = record.id;
  job.principal = record.principal;
  job.root_uri = record.root_uri;
  job.title = record.title;
  job.query = text_in(record.data, "query");
  job.mode = text_in(record.data, "mode");
  job.clarify = text_in(record.data, "clarify");
  job.provider = text_in(record.data, "provider");
  if (const JsonObject* answers = find_object(record.data, "clarifications")) job.clarifications = *answers;
  job.follow_links = find_bool(record.data, "follow_links").value_or(true);
  job.search = strings_in(record.data, "search");
  job.corpus = strings_in(record.data, "corpus");
  job.projects = strings_in(record.data, "projects");
  job.limits = read_limits(find_object(record.data, "limits"));
  return job;
}

Result<session::SessionRecord> find_run(session::Reader& reader, std::string_view principal, std::string_view id) {
  auto record = reader.get(id);
  if (!record && record.error().kind == ErrorKind::not_found) {
    const bool purged = record.error().code == "gone";
    return fail(ErrorKind::not_found, record.error().message, record.error().hint, purged ? "GONE" : "NOT_FOUND");
  }
  if (!record) return record;
  if (record->kind != session::kResearch || record->principal != principal)
    return fail(ErrorKind::not_found, fmt::format("there is no research run {}", id), "deep-research-list shows those there are",
                "NOT_FOUND");
  if (record->visibility == session::Visibility::deleted)
    return fail(ErrorKind::refused, fmt::format("{} is deleted", id), "deep-research-restore brings it back", "DELETED");
  return record;
}

namespace {

// Gathering ends at four fifths, the last fifth belongs to the report.
constexpr std::int64_t kGatherTenths = 8;
// An operation gets at least this, so that the last call before the end can still fail for a reason of its own.
constexpr std::chrono::milliseconds kLeastOperation{1000};

bool is_spent(std::int64_t used, std::int64_t limit, std::int64_t tenths) {
  return limit > 0 && used * 10 >= limit * tenths;
}

}  // namespace

Usage read_usage(const JsonObject& data) {
  Usage usage;
  const JsonObject* used = find_object(data, "used");
  if (!used) return usage;
  usage.llm_calls = find_int(*used, "llm_calls").value_or(0);
  usage.search_calls = find_int(*used, "search_calls").value_or(0);
  usage.tokens.in = find_int(*used, "tokens_in").value_or(0);
  usage.tokens.out = find_int(*used, "tokens_out").value_or(0);
  usage.tokens.estimated = find_bool(*used, "tokens_estimated").value_or(false);
  usage.active_ms = find_int(*used, "active_ms").value_or(0);
  return usage;
}

JsonObject json_of(const Usage& usage) {
  return {{"llm_calls", usage.llm_calls},   {"search_calls", usage.search_calls},         {"tokens_in", usage.tokens.in},
          {"tokens_out", usage.tokens.out}, {"tokens_estimated", usage.tokens.estimated}, {"active_ms", usage.active_ms}};
}

std::optional<std::string_view> Budget::gathering() const {
  if (is_spent(usage_.active_ms, limits_.task_timeout * 1000, kGatherTenths)) return "budget_time";
  if (is_spent(usage_.tokens.in + usage_.tokens.out, limits_.max_tokens_total, kGatherTenths)) return "budget_tokens";
  if (limits_.max_search_calls > 0 && usage_.search_calls >= limits_.max_search_calls) return "budget_calls";
  return std::nullopt;
}

std::optional<std::string_view> Budget::model() const {
  if (is_spent(usage_.active_ms, limits_.task_timeout * 1000, kGatherTenths)) return "budget_time";
  if (const auto left = tokens_left(false); left && *left <= kLeastAnswer) return "budget_tokens";
  if (limits_.max_llm_calls > 0 && usage_.llm_calls + 1 >= limits_.max_llm_calls) return "budget_calls";  // the last is kept
  return std::nullopt;
}

std::optional<std::string_view> Budget::report() const {
  if (usage_.active_ms >= limits_.task_timeout * 1000) return "budget_time";
  if (const auto left = tokens_left(true); left && *left <= kLeastAnswer) return "budget_tokens";
  if (limits_.max_llm_calls > 0 && usage_.llm_calls >= limits_.max_llm_calls) return "budget_calls";
  return std::nullopt;
}

std::chrono::milliseconds Budget::operation_time() const {
  const std::chrono::milliseconds left(limits_.task_timeout * 1000 - usage_.active_ms);
  const std::chrono::milliseconds own(limits_.timeout_per_operation * 1000);
  return std::max(kLeastOperation, std::min(own, left));
}

std::optional<std::int64_t> Budget::tokens_left(bool for_report) const {
  if (limits_.max_tokens_total == 0) return std::nullopt;
  const std::int64_t all = for_report ? limits_.max_tokens_total : limits_.max_tokens_total * kGatherTenths / 10;
  return std::max<std::int64_t>(0, all - usage_.tokens.in - usage_.tokens.out);
}

namespace {

constexpr std::size_t kIdLength = 12;                // research-[a-zA-Z0-9]{8,16} (§2)
constexpr std::size_t kMaxRunTitleCharacters = 200;  // as of a thread (§9)
constexpr std::size_t kOpeningCharacters = 500;      // what lists show and search of a query
constexpr std::size_t kMaxFolders = 16;              // each is walked before the first search
constexpr std::array<std::string_view, 3> kModes = {"general", "academic", "technical"};
constexpr std::array<std::string_view, 3> kClarify = {"ask", "infer", "off"};

void check_word(std::string_view name, const std::string& word, std::span<const std::string_view> allowed,
                std::vector<std::string>& problems) {
  if (std::ranges::find(allowed, word) == allowed.end())
    problems.push_back(fmt::format("{} must be one of {}, not '{}'", name, fmt::join(allowed, ", "), word));
}

void check_limits(const JsonObject& limits, std::vector<std::string>& problems) {
  for (const auto& [name, value] : limits) {
    const std::string_view key(name);
    const auto* info = std::ranges::find(kLimits, key, &LimitInfo::name);
    if (info == std::end(kLimits)) {
      problems.push_back(fmt::format("there is no limit '{}'", key));
      continue;
    }
    const auto number = find_int(limits, key);
    if (number && *number >= info->lowest && *number <= info->highest) continue;
    problems.push_back(fmt::format("{} must be a whole number from {} to {}", key, info->lowest, info->highest));
  }
}

// Settings may change before the run is worked, so work.cpp looks again; but what nobody has now is a mistake of the caller.
Result<void> check_search(const Tools& tools, const session::SessionRecord& run, const StartRequest& request) {
  if (request.search.empty()) return {};
  HF_TRY(const Providers providers, tools.providers(run, request.corpus));
  std::vector<std::string> names;
  for (const auto& provider : providers) names.emplace_back(provider->name());
  const auto is_there = [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); };
  if (std::ranges::any_of(request.search, is_there)) return {};
  return fail(ErrorKind::invalid, fmt::format("there is no search provider '{}'", fmt::join(request.search, "', '")),
              names.empty() ? "no search provider is configured: set search in config.json"
                            : fmt::format("there are {}", fmt::join(names, ", ")),
              "VALIDATION_ERROR");
}

}  // namespace

Result<void> check_start(const StartRequest& request) {
  std::vector<std::string> problems;
  if (trim(request.query).empty()) problems.emplace_back("query is empty");
  if (!is_valid_utf8(request.query)) problems.emplace_back("query is not UTF-8");
  if (const std::size_t length = utf8_length(request.query); length > kMaxQueryCharacters)
    problems.push_back(fmt::format("query has at most {} characters, this one has {}", kMaxQueryCharacters, length));
  if (const std::size_t length = utf8_length(request.title); length > kMaxRunTitleCharacters)
    problems.push_back(fmt::format("title has at most {} characters, this one has {}", kMaxRunTitleCharacters, length));
  check_word("mode", request.mode, kModes, problems);
  check_word("clarify", request.clarify, kClarify, problems);
  check_limits(request.limits, problems);
  if (request.corpus.size() > kMaxFolders)
    problems.push_back(fmt::format("corpus names at most {} folders, here are {}", kMaxFolders, request.corpus.size()));
  for (const std::string& folder : request.corpus)
    if (!folder.starts_with('/')) problems.push_back(fmt::format("corpus folder '{}' is not an absolute path", folder));
  if (problems.empty()) return {};
  return fail(ErrorKind::invalid, fmt::format("{}", fmt::join(problems, "; ")), "correct the arguments and call again",
              "VALIDATION_ERROR");
}

Result<session::SessionRecord> Research::start(const StartRequest& request) {
  HF_CHECK(check_start(request));
  const std::vector<std::string> endpoints = tools_.models.providers("");
  if (!request.provider.empty() && std::ranges::find(endpoints, request.provider) == endpoints.end())
    return fail(ErrorKind::invalid, fmt::format("no provider is called \"{}\"", request.provider),
                endpoints.empty() ? "no language model is configured: set llm in config.json"
                                  : fmt::format("there are {}", fmt::join(endpoints, ", ")),
                "VALIDATION_ERROR");
  session::SessionRecord record;
  record.id = "research-" + random_base62(kIdLength);
  record.kind = session::kResearch;
  record.title = request.title;
  record.opening = utf8_prefix(shorten(request.query, kOpeningCharacters), session::kMaxOpeningBytes);
  record.status = "started";
  record.principal = request.principal;
  record.client = request.client;
  record.root_uri = request.root_uri;
  record.root_name = request.root_name;
  record.project = request.project;
  record.data = {{"query", request.query},
                 {"limits", json_of(read_limits(&request.limits))},
                 {"follow_links", request.follow_links},
                 {"mode", request.mode},
                 {"clarify", request.clarify},
                 {"clarifications", request.clarifications},
                 {"search", to_json_array(request.search)},
                 {"provider", request.provider},
                 {"corpus", to_json_array(request.corpus)},
                 {"phase", "planning"},
                 {"iteration", 1},
                 {"progress_percent", 0},
                 {"source_count", 0}};
  if (!request.projects.empty()) record.data["projects"] = to_json_array(request.projects);
  HF_CHECK(check_search(tools_, record, request));
  return tools_.store.write([&](session::Transaction& transaction) { return transaction.create(record); });
}

}  // namespace holdfast::research
