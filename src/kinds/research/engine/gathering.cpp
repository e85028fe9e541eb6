#include "base/crypto/hash.h"
#include "base/run/parallel.h"
#include "base/text/text.h"
#include "kinds/research/engine/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

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

// The search for one question: up to three rounds of search, judge, refined query (threads-and-research §10).
//
// Runs on a thread of its own beside those of other questions. What it finds is handed to `submit` unit by unit; when that is
// written is the caller's business (Gathering).
constexpr int kRounds = 3;

class QuestionSearch {
 public:
  using Compose = std::function<Change(const RunState&)>;
  using Submit = std::function<Result<void>(Compose)>;

  QuestionSearch(Workshop& shop, std::int64_t iteration, const SubQuery& question, Submit submit)
      : shop_(shop), iteration_(iteration), question_(question), submit_(std::move(submit)) {}

  // Errors: those of submit, cancelled. That every provider failed is not one: see failure().
  Result<void> run();

  // Why the question has no answer: every search failed. Empty otherwise.
  std::string failure() const { return found_.empty() && !answered_ ? last_error_ : std::string(); }
  std::size_t found() const { return found_.size(); }

 private:
  enum class Outcome { found_new, found_nothing, stop };
  Result<Outcome> round(int number, const std::string& query);
  Result<bool> ask(SearchProvider& provider, const Unit& unit, const std::string& query, std::size_t most);
  Result<Judgement> judge(int number, const std::string& query, bool found_new);
  bool is_known(const Found& candidate) const;
  Unit unit(std::string name) const { return {iteration_, "gathering", std::move(name)}; }

  Workshop& shop_;
  const std::int64_t iteration_;
  const SubQuery question_;
  const Submit submit_;
  std::vector<Found> found_;
  bool answered_ = false;  // some provider did, if only to say that there is nothing
  std::string last_error_;
};

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

constexpr std::size_t kFailedShown = 20;        // in the record, for status
constexpr std::size_t kQuestionInMessage = 80;  // characters

struct Failed {
  std::string id, query, error;
};

// Work done side by side whose results must be written in order. Questions are searched for at the same time, but citation
// numbers are given in the order of the questions: otherwise the same run would number its sources differently each time. Whoever
// is first in line writes at once; the others keep what they have until those before them are through. Thread-safe.
class Turns {
 public:
  // Whether all before this one are through.
  bool has_come(std::size_t index) const {
    const std::lock_guard lock(mutex_);
    return first_ >= index;
  }
  void wait_for(std::size_t index) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return first_ >= index; });
  }
  // Must be called once for each, also after a failure: those behind wait for it.
  void pass(std::size_t index) {
    const std::lock_guard lock(mutex_);
    passed_.insert(index);
    while (passed_.erase(first_) != 0) ++first_;
    changed_.notify_all();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::size_t> passed_;
  std::size_t first_ = 0;
};

class Gathering {
 public:
  Gathering(Workshop& shop, std::int64_t iteration) : shop_(shop), journal_(shop.journal), iteration_(iteration) {
    const auto list = journal_.state().questions.find(iteration);
    if (list != journal_.state().questions.end()) questions_ = list->second;
  }

  Result<void> run() {
    // With a budget of searches the earlier question comes first, whoever is faster: otherwise the same run would end differently
    // each time.
    const std::int64_t side_by_side = journal_.job().limits.max_search_calls > 0 ? 1 : journal_.job().limits.max_concurrent;
    const std::size_t workers = std::min(static_cast<std::size_t>(side_by_side), questions_.size());
    each_in_parallel(questions_.size(), workers, "research", [this](std::size_t index) {
      take_question(index);
      return true;
    });
    if (error_) return fail(*std::move(error_));
    if (journal_.lease().ended()) return fail(ErrorKind::cancelled, "the worker has to stop");
    const auto worked_on = static_cast<std::size_t>(completed(journal_.state())) + failed_.size();
    if (worked_on != questions_.size()) return fail(ErrorKind::internal, "a question was left unfinished; the log says why");
    return {};
  }

  bool all_failed() const { return failed_.size() == questions_.size(); }
  const std::vector<Failed>& failed() const { return failed_; }
  std::size_t size() const { return questions_.size(); }

 private:
  void take_question(std::size_t index) {
    // Those behind wait for this one, however it ends.
    struct Pass {
      Turns& turns;
      std::size_t index;
      ~Pass() { turns.pass(index); }
    } pass{turns_, index};
    if (auto done = work_on(index); !done) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::move(done).error();
    }
  }

  bool must_stop() const {
    const std::lock_guard lock(mutex_);
    return error_ || journal_.lease().ended();
  }

  Result<void> work_on(std::size_t index) {
    const SubQuery& question = questions_[index];
    const Unit done{iteration_, "gathering", "subquery/" + question.id};
    if (must_stop() || journal_.read([&](const RunState& state) { return state.is_done(done); })) return {};
    std::vector<QuestionSearch::Compose> waiting;
    const auto flush = [&]() -> Result<void> {
      for (const auto& compose : waiting)
        HF_CHECK(journal_.commit([&](const RunState& state) { return placed(compose(state), state); }));
      waiting.clear();
      return {};
    };
    QuestionSearch search(shop_, iteration_, question, [&](QuestionSearch::Compose compose) -> Result<void> {
      waiting.push_back(std::move(compose));
      return turns_.has_come(index) ? flush() : Result<void>();
    });
    const Result<void> searched = search.run();
    if (!searched) return searched;
    turns_.wait_for(index);
    if (must_stop()) return {};
    HF_CHECK(flush());
    return journal_.commit([&](const RunState& state) { return finished(state, done, index, search); });
  }

  std::int64_t completed(const RunState& state) const {
    return std::ranges::count_if(questions_, [&](const SubQuery& question) {
      return state.is_done({iteration_, "gathering", "subquery/" + question.id});
    });
  }

  // Under the lock of the journal, as every composing.
  Change placed(Change change, const RunState& state) const {
    change.done = completed(state) + static_cast<std::int64_t>(failed_.size());
    change.total = static_cast<std::int64_t>(questions_.size());
    return change;
  }

  Change finished(const RunState& state, const Unit& unit, std::size_t index, const QuestionSearch& search) {
    const SubQuery& question = questions_[index];
    Change change;
    change.unit = unit;
    change.failed = !search.failure().empty();
    change.mark = {{"sub_query_id", question.id}, {"found", search.found()}};
    if (change.failed) {
      change.mark["error"] = search.failure();
      failed_.push_back({question.id, question.query, search.failure()});
    }
    change = placed(std::move(change), state);
    if (!change.failed) ++change.done;
    change.event = "sub_query_done";
    change.message =
        fmt::format("question {} of {}: {}", index + 1, questions_.size(), shorten(question.query, kQuestionInMessage));
    const std::int64_t all_completed =
        std::ranges::count_if(state.units,
                              [](const auto& done) { return done.first.find("/gathering/subquery/") != std::string::npos; }) +
        (change.failed ? 0 : 1);
    std::int64_t total = 0;
    for (const auto& [iteration, questions] : state.questions) total += static_cast<std::int64_t>(questions.size());
    JsonArray failed;
    for (const Failed& each : failed_)
      if (failed.size() < kFailedShown)
        failed.push_back(JsonObject{{"id", each.id}, {"query", each.query}, {"error", each.error}});
    JsonObject counts{{"total", total}, {"completed", all_completed}, {"failed", failed_.size()}};
    change.adjust = [counts, failed](session::SessionRecord& record) {
      record.data["sub_queries"] = counts;
      record.data["failed_sub_queries"] = failed;
    };
    return change;
  }

  Workshop& shop_;
  Journal& journal_;
  const std::int64_t iteration_;
  std::vector<SubQuery> questions_;
  Turns turns_;
  mutable std::mutex mutex_;
  std::optional<Error> error_;  // the first
  std::vector<Failed> failed_;  // changed while a change is composed, one at a time
};

// What was looked for in vain is looked for again when the run is resumed: there may be documents then.
Result<void> no_sources(Journal& journal, const Unit& gathered, const Gathering& gathering) {
  Change again;
  again.unit = gathered;
  again.failed = true;
  again.mark = {{std::string(kGatherAgain), true}};
  HF_CHECK(journal.commit(std::move(again)));
  if (gathering.all_failed())
    return fail(ErrorKind::unavailable, fmt::format("no search succeeded; the last said: {}", gathering.failed().back().error),
                "resume the run when the search providers can be reached", "NO_SOURCES");
  return fail(ErrorKind::not_found, "no search found a source for this question",
              "put documents about it into the folders that are searched, then resume the run; or ask in other words",
              "NO_SOURCES");
}

Unit replanned(std::int64_t iteration) {
  return {iteration, "gathering", "replanned"};
}

// Questions that a model made up and that nothing answers are no reason to give up the one that was asked.
bool is_for_the_program(const Workshop& shop, std::int64_t iteration) {
  Journal& journal = shop.journal;
  return shop.has_model() && iteration == 1 && !journal.state().is_done(replanned(iteration)) && !journal.budget().gathering();
}

Result<void> plan_by_the_program(Workshop& shop, std::int64_t iteration) {
  Journal& journal = shop.journal;
  HF_TRY(Planned planned, shop.program.plan(journal.job()));
  journal.note_stand_in("planning", "no search found anything for its questions");
  JsonArray questions = admit(planned.questions, journal.job().limits);
  const Unit unit = replanned(iteration);
  Change change;
  change.unit = unit;
  change.entries.push_back(
      entry_of(unit, "plan", 0, planned.brief, {{"iteration", iteration}, {"sub_queries", std::move(questions)}}));
  return journal.commit(std::move(change));
}

}  // namespace

Result<void> gather(Workshop& shop, std::int64_t iteration) {
  Journal& journal = shop.journal;
  const Unit gathered{iteration, "gathering", "gathered"};
  if (journal.state().is_done(gathered)) return {};
  HF_CHECK(journal.enter(iteration, "gathering"));
  if (shop.providers.empty())
    return fail(ErrorKind::refused, "there is nowhere to search: no search provider is configured",
                "name folders with --corpus or set search in config.json", "NO_SOURCES");
  Gathering gathering(shop, iteration);
  HF_CHECK(gathering.run());
  if (journal.state().sources.empty() && !gathering.all_failed() && is_for_the_program(shop, iteration)) {
    HF_CHECK(plan_by_the_program(shop, iteration));
    return gather(shop, iteration);
  }
  for (const auto& provider : shop.providers)
    if (std::string left_out = provider->left_out(); !left_out.empty()) journal.warn(std::move(left_out));
  if (journal.state().sources.empty() && gathering.size() > 0) {
    // A spent budget is no failure: the report says that nothing was found with what there was (§10).
    if (const auto spent = journal.budget().gathering()) journal.note_cut(*spent);
    if (journal.cut().empty()) return no_sources(journal, gathered, gathering);
  }
  HF_CHECK(follow_links(shop, iteration));
  Change change;
  change.unit = gathered;
  change.done = 1;
  change.event = "phase_done";
  change.message = fmt::format("{} sources so far", journal.state().sources.size());
  return journal.commit(std::move(change));
}

}  // namespace holdfast::research
