#include "kinds/research/engine/question_search.h"

#include "base/crypto/hash.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::research {

namespace {

constexpr std::size_t kMostContent = kFetchBytes;  // a provider that sends more than a page may have is cut
constexpr std::size_t kMostSnippet = 4000;         // stands in the data of the entry and in every prompt

Found tidy(Found found) {
  found.uri = to_valid_utf8(found.uri);
  found.title = to_valid_utf8(found.title.empty() ? found.uri : found.title);
  found.snippet = to_valid_utf8(utf8_prefix(found.snippet, kMostSnippet));
  found.content = to_valid_utf8(utf8_prefix(found.content, kMostContent));
  found.score = std::clamp(found.score, 0.0, 1.0);
  return found;
}

Found found_of(const Source& source) {
  return {source.uri,     source.title,   source.type,    source.snippet,
          source.content, source.locator, source.quality, source.published};
}

session::NewEntry source_entry(const Found& found, std::int64_t citation, const std::string& provider,
                               const std::string& question) {
  Source source;
  source.id = make_inner_id("src-");
  source.citation = citation;
  source.uri = found.uri;
  source.title = found.title;
  source.type = found.type;
  source.snippet = found.snippet;
  source.content = found.content;
  source.content_sha256 = to_hex(sha256(source.text()));
  source.locator = found.locator;
  source.published = found.published;
  source.provider = provider;
  source.sub_query_id = question;
  source.quality = found.score;
  session::NewEntry entry;
  entry.type = "source";
  entry.number = citation;
  entry.text = source.content;
  JsonObject data = json_of(source);
  data.erase("retrieved_at");  // the time of the entry
  data.erase("fidelity");      // known after the analysis
  entry.data = to_json(data);
  entry.idempotency_key = "source:" + to_hex(sha256(canonical_uri(found.uri)));
  return entry;
}

}  // namespace

bool QuestionSearch::is_known(const Found& candidate) const {
  const std::string title = comparable_title(candidate.title);
  return std::ranges::any_of(found_, [&](const Found& known) {
    return canonical_uri(known.uri) == canonical_uri(candidate.uri) || (!title.empty() && comparable_title(known.title) == title);
  });
}

// Whether something new was found.
Result<bool> QuestionSearch::ask(SearchProvider& provider, const Unit& unit, const std::string& query, std::size_t most) {
  Journal& journal = shop_.journal;
  const auto began = std::chrono::steady_clock::now();
  SearchAsk ask;
  ask.query = query;
  ask.max_results = most + found_.size();  // what is known already may come again
  ask.mode = journal.job().mode;
  ask.principal = journal.job().principal;
  ask.exclude_session = journal.job().id;
  ask.root_uri = journal.job().root_uri;
  ask.projects = journal.job().projects;
  ask.deadline = began + journal.budget().operation_time();
  ask.cancelled = [&journal] { return journal.lease().ended(); };
  journal.count_search();
  auto answer = provider.search(ask);
  const std::string name(provider.name());
  AuditEvent event;
  event.event = "search";
  event.provider = name;
  event.duration = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  event.text = query;
  if (!answer) event.error = answer.error().word();
  journal.audit(std::move(event));
  if (journal.lease().ended()) return fail(ErrorKind::cancelled, "the worker has to stop");
  if (!answer) {
    last_error_ = fmt::format("{}: {}", name, answer.error().message);
    journal.warn(last_error_);
    HF_CHECK(submit_([unit, error = std::string(answer.error().word())](const RunState&) {
      Change change;
      change.unit = unit;
      change.failed = true;
      change.mark = {{"error", error}};
      return change;
    }));
    return false;
  }
  answered_ = true;
  std::vector<Found> fresh;
  for (Found& each : *answer) {
    Found candidate = tidy(std::move(each));
    if (fresh.size() == most || candidate.uri.empty() || is_known(candidate)) continue;
    found_.push_back(candidate);
    fresh.push_back(std::move(candidate));
  }
  HF_CHECK(submit_([unit, fresh, name, question = question_.id](const RunState& state) {
    Change change;
    change.unit = unit;
    std::int64_t citation = state.sources.empty() ? 0 : state.sources.back().citation;
    std::vector<std::string> known;  // another question found them first
    for (const Found& found : fresh) {
      if (const Source* same = state.same_as(found.uri, found.title))
        known.push_back(same->id);
      else
        change.entries.push_back(source_entry(found, ++citation, name, question));
    }
    change.mark = {{"found", fresh.size()}, {"added", change.entries.size()}, {"known", to_json_array(known)}};
    if (!change.entries.empty()) {
      change.event = "source_added";
      change.message = change.entries.size() == 1 ? fmt::format("1 source from {}", name)
                                                  : fmt::format("{} sources from {}", change.entries.size(), name);
    }
    return change;
  }));
  return !fresh.empty();
}

Result<QuestionSearch::Outcome> QuestionSearch::round(int number, const std::string& query) {
  Journal& journal = shop_.journal;
  const auto most = static_cast<std::size_t>(journal.job().limits.max_sources_per_query);
  bool found_new = false;
  for (std::size_t i = 0; i < shop_.providers.size(); ++i) {
    SearchProvider& provider = *shop_.providers[i];
    const Unit search = unit(fmt::format("search/{}/{}/{}", question_.id, number, provider.name()));
    // Done before a crash: what it found is in the state, and in found_.
    const auto found_before = journal.read([&](const RunState& state) -> std::optional<std::int64_t> {
      const JsonObject* mark = state.mark(search);
      if (!mark) return std::nullopt;
      return find_int(*mark, "found").value_or(0);
    });
    if (found_before) {
      answered_ = true;
      found_new = found_new || *found_before > 0;
      continue;
    }
    if (found_.size() >= most) break;
    if (const auto spent = journal.budget().gathering()) {
      journal.note_cut(*spent);
      return Outcome::stop;
    }
    // Its fair share: one provider must not take all the places before the next is asked.
    const std::size_t left = most - found_.size(), providers_left = shop_.providers.size() - i;
    HF_TRY(const bool fresh, ask(provider, search, query, (left + providers_left - 1) / providers_left));
    found_new = found_new || fresh;
  }
  return found_new ? Outcome::found_new : Outcome::found_nothing;
}

Result<Judgement> QuestionSearch::judge(int number, const std::string& query, bool found_new) {
  Journal& journal = shop_.journal;
  const Unit judging = unit(fmt::format("judge/{}/{}", question_.id, number));
  const auto before = journal.read([&](const RunState& state) -> std::optional<Judgement> {
    const JsonObject* mark = state.mark(judging);
    if (!mark) return std::nullopt;
    return Judgement{find_bool(*mark, "enough").value_or(true), text_in(*mark, "next")};
  });
  if (before) return *before;
  const Round round{&question_, number, query, found_, found_new};
  auto judgement = shop_.think("judging what was found", [&](Engine& engine) { return engine.judge(journal.job(), round); });
  if (journal.lease().ended()) return fail(ErrorKind::cancelled, "the worker has to stop");
  if (!judgement) {
    journal.warn(fmt::format("whether to search on was not judged: {}", judgement.error().message));
    return Judgement{};  // what was found is still there
  }
  HF_CHECK(submit_([judging, judged = *judgement](const RunState&) {
    Change change;
    change.unit = judging;
    change.mark = {{"enough", judged.enough}, {"next", judged.next}};
    return change;
  }));
  return judgement;
}

Result<void> QuestionSearch::run() {
  Journal& journal = shop_.journal;
  found_ = journal.read([&](const RunState& state) {
    std::vector<Found> found;
    for (const Source& source : state.sources)
      if (source.sub_query_id == question_.id) found.push_back(found_of(source));
    return found;
  });
  const auto most = static_cast<std::size_t>(journal.job().limits.max_sources_per_query);
  std::string query = question_.search.empty() ? question_.query : question_.search;
  bool nothing_before = false;
  for (int number = 1; number <= kRounds; ++number) {
    HF_TRY(const Outcome outcome, round(number, query));
    const bool nothing = outcome == Outcome::found_nothing;
    if (outcome == Outcome::stop || number == kRounds || found_.size() >= most || (nothing && nothing_before)) return {};
    if (!answered_) return {};  // other words do not help against a provider that is down
    HF_TRY(const Judgement judgement, judge(number, query, !nothing));
    if (judgement.enough || trim(judgement.next).empty() || judgement.next == query) return {};
    query = judgement.next;
    nothing_before = nothing;
  }
  return {};
}

}  // namespace holdfast::research
