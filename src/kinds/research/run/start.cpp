#include "base/ids.h"
#include "base/text/text.h"
#include "kinds/research/engine/evidence.h"
#include "kinds/research/run/job.h"
#include "kinds/research/run/run.h"
#include "session/kinds.h"
#include "session/limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>

namespace holdfast::research {

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
