#include "base/text/text.h"
#include "kinds/research/engine/claims.h"
#include "kinds/research/engine/engine.h"
#include "kinds/research/engine/report_text.h"
#include "kinds/research/text/markdown_text.h"
#include "kinds/research/text/question_words.h"
#include "kinds/research/text/sentence_rank.h"
#include "search/words/stems.h"
#include "search/words/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace holdfast::research {

namespace {

constexpr std::size_t kFindingsOfQuestion = 6;  // a reader wants the best, not all
constexpr std::size_t kLookedAt = 60;           // sentences of one question, before near-duplicates are dropped
constexpr double kWorthQuoting = 0.3;           // of the best sentence's score
constexpr double kHighCoverage = 0.99, kMediumCoverage = 0.5;
constexpr std::size_t kMostGroups = 20;  // the largest max_sub_queries

// What is handed to providers: they look for whole words, so singular, plural and the words of an answer are named, too.
std::string search_words(std::string_view question) {
  std::vector<std::string> words;
  const auto add = [&](const std::string& word) {
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  };
  for (const std::string& word : search::words_of(question)) {
    if (search::is_stop_word(word)) continue;
    for (const std::string& form : forms_of(word)) add(form);
  }
  for (const std::string& word : intent_of(question).search) add(word);
  return words.empty() ? std::string(trim(question)) : fmt::format("{}", fmt::join(words, " "));
}

SubQuery make_question(std::string query, std::string rationale, int priority) {
  SubQuery question;
  question.search = search_words(query);
  question.query = std::move(query);
  question.rationale = std::move(rationale);
  question.priority = priority;
  return question;
}

std::string confidence_of(double coverage) {
  return coverage >= kHighCoverage ? "high" : coverage >= kMediumCoverage ? "medium" : "low";
}

// A finding that is shown, of this analysis or of an earlier one.
struct Shown {
  Claim claim;
  std::string finding;                    // id
  std::string document;                   // address of its first source, without the place in it
  std::string quotation;                  // as a report shows it
  std::size_t index = std::string::npos;  // in Analysis::findings; npos: of an earlier one
};

std::string document_of(const Source& source) {
  return source.uri.substr(0, source.uri.find('#'));
}

Shown shown_of(const Finding& finding, const Source* source, std::size_t index = std::string::npos) {
  Shown shown{claim_of(finding.content), finding.id, source ? document_of(*source) : std::string(), {}, index};
  shown.quotation = fmt::format("“{}”", as_quoted(fold_blanks(finding.content), Brackets::numbers));
  if (source) shown.quotation += fmt::format(" [{}]", source->citation);
  return shown;
}

// What is claimed is in the sentence itself; what it is about may stand in the one before.
Claim claim_in(const RankedSentence& sentence) {
  Claim claim = claim_of(sentence.core);
  if (sentence.core.size() != sentence.text.size()) claim.stems = claim_of(sentence.text).stems;
  return claim;
}

class Extractive final : public Engine {
 public:
  std::string name() const override { return "extractive"; }

  Result<Planned> plan(const Job& job) override {
    Planned planned;
    const std::string query = fold_blanks(job.query);
    planned.brief = query;
    planned.questions.push_back(make_question(query, "the question itself", 10));
    for (const std::string& group : keyword_groups(query))
      if (subject_stems(group) != subject_stems(query))
        planned.questions.push_back(make_question(group, "keywords of the question", 5));
    return planned;
  }

  Result<Judgement> judge(const Job&, const Round& round) override {
    if (round.found_new || round.number > 1) return Judgement{};
    // Nothing has all of it: look for the subject alone.
    const std::string fewer = fmt::format("{}", fmt::join(subject_stems(round.question->query), " "));
    if (fewer.empty() || fewer == round.searched) return Judgement{};
    return Judgement{false, fewer};
  }

  std::size_t batch(const Job&, const std::vector<const Source*>& sources) override { return sources.size(); }

  Result<Analysis> analyse(const Job& job, const RunState& state, const std::vector<const Source*>& batch) override {
    Analysis analysis;
    const SentenceRanking ranking(batch);
    std::vector<Shown> shown;
    for (const Finding& finding : state.findings)
      shown.push_back(shown_of(finding, finding.source_ids.empty() ? nullptr : state.source(finding.source_ids.front())));
    const auto questions = state.questions.find(state.iteration());
    if (questions != state.questions.end())
      for (const SubQuery& question : questions->second) quote(question, ranking, shown, analysis);
    note_gaps(job, state, ranking, analysis);
    return analysis;
  }

  Result<Draft> synthesise(const Job& job, const RunState& state) override {
    return Draft{compose_report(job, state), name(), false};
  }

  Result<Refinement> refine(const Job&, const RunState& state) override {
    Refinement refinement;
    std::set<std::string> asked;
    for (const auto& [iteration, questions] : state.questions)
      for (const SubQuery& question : questions) asked.insert(question.search);
    for (const Gap& gap : state.gaps) {
      if (gap.resolved) continue;
      for (const std::string& query : gap.suggested_queries) {
        SubQuery question = make_question(query, gap.description, gap.priority);
        if (asked.insert(question.search).second) refinement.questions.push_back(std::move(question));
      }
    }
    return refinement;
  }

 private:
  static void quote(const SubQuery& question, const SentenceRanking& ranking, std::vector<Shown>& shown, Analysis& analysis) {
    std::size_t quoted = 0;
    const std::vector<RankedSentence> best = ranking.best(question.query, kLookedAt);
    for (const RankedSentence& sentence : best) {
      if (sentence.score < best.front().score * kWorthQuoting) break;
      const Claim claim = claim_in(sentence);
      const auto like = std::ranges::find_if(shown, [&](const Shown& each) { return says_the_same(each.claim, claim); });
      if (like != shown.end()) {
        if (like->index != std::string::npos) confirm(analysis.findings[like->index], sentence);
        continue;
      }
      if (is_part_of_shown(sentence, shown, analysis)) continue;
      const std::string document = document_of(*sentence.source);
      const auto other = std::ranges::find_if(
          shown, [&](const Shown& each) { return each.document != document && disagrees(each.claim, claim); });
      // Who contradicts what is shown has to be heard, however many there are.
      if (quoted == kFindingsOfQuestion && other == shown.end()) continue;
      Finding finding;
      finding.id = make_inner_id("find-");
      finding.content = sentence.text;
      finding.confidence = confidence_of(sentence.coverage);
      finding.category = question.query;
      finding.sub_query_id = question.id;
      finding.source_ids = {sentence.source->id};
      finding.quotes = {{sentence.text, sentence.source->id, true}};
      Shown mine = shown_of(finding, sentence.source, analysis.findings.size());
      mine.claim = claim;
      if (other != shown.end()) note_contradiction(*other, mine, analysis);
      shown.push_back(std::move(mine));
      analysis.findings.push_back(std::move(finding));
      if (quoted < kFindingsOfQuestion) ++quoted;
    }
  }

  // Quoted already with the sentence behind it, or the reverse: then the longer takes its place, where the shorter stood.
  static bool is_part_of_shown(const RankedSentence& sentence, std::vector<Shown>& shown, Analysis& analysis) {
    for (Shown& each : shown) {
      if (each.index == std::string::npos) continue;
      Finding& finding = analysis.findings[each.index];
      if (finding.source_ids.front() != sentence.source->id) continue;
      if (finding.content.ends_with(sentence.text) || finding.content.starts_with(sentence.text)) return true;
      if (!sentence.text.starts_with(finding.content) || finding.source_ids.size() > 1) continue;
      finding.content = sentence.text;
      finding.quotes = {{sentence.text, sentence.source->id, true}};
      each = shown_of(finding, sentence.source, each.index);
      each.claim = claim_in(sentence);
      return true;
    }
    return false;
  }

  // All who disagree about one thing stand together.
  static void note_contradiction(const Shown& other, const Shown& mine, Analysis& analysis) {
    auto place = std::ranges::find_if(analysis.contradictions, [&](const Contradiction& conflict) {
      return std::ranges::find(conflict.finding_ids, other.finding) != conflict.finding_ids.end();
    });
    if (place == analysis.contradictions.end()) {
      Contradiction conflict;
      conflict.id = make_inner_id("contra-");
      conflict.finding_ids = {other.finding};
      conflict.description = fmt::format("Sources disagree: {}", other.quotation);
      conflict.severity = "major";
      place = analysis.contradictions.insert(analysis.contradictions.end(), std::move(conflict));
    }
    place->finding_ids.push_back(mine.finding);
    place->description += fmt::format(" – {}", mine.quotation);
  }

  // Another source says the very same.
  static void confirm(Finding& finding, const RankedSentence& sentence) {
    if (finding.content != sentence.text) return;
    if (std::ranges::find(finding.source_ids, sentence.source->id) != finding.source_ids.end()) return;
    finding.source_ids.push_back(sentence.source->id);
    finding.quotes.push_back({sentence.text, sentence.source->id, true});
  }

  // Words of the question that no source has.
  static void note_gaps(const Job& job, const RunState& state, const SentenceRanking& ranking, Analysis& analysis) {
    for (const Gap& gap : state.gaps)
      if (!gap.resolved && !gap.suggested_queries.empty() && ranking.mentions(search::stem_of(gap.suggested_queries.front())))
        analysis.resolved.push_back(gap.id);
    const std::vector<std::string> subject = subject_stems(job.query);
    for (const std::string& word : search::words_of(job.query)) {
      const std::string stem = search::stem_of(word);
      if (std::ranges::find(subject, stem) == subject.end() || search::is_stop_word(word) || ranking.mentions(stem)) continue;
      const auto known = [&](const Gap& gap) {
        return !gap.suggested_queries.empty() && search::stem_of(gap.suggested_queries.front()) == stem;
      };
      if (std::ranges::any_of(state.gaps, known) || std::ranges::any_of(analysis.gaps, known)) continue;
      const auto read_before = [&](const Source& source) {
        const std::vector<std::string> stems = content_stems(source.text());
        return source.analysed && std::ranges::find(stems, stem) != stems.end();
      };
      if (std::ranges::any_of(state.sources, read_before)) continue;
      Gap gap;
      gap.id = make_inner_id("gap-");
      gap.description = fmt::format("No source says anything about “{}”.", word);
      gap.suggested_queries = {word};
      analysis.gaps.push_back(std::move(gap));
    }
  }
};

}  // namespace

std::vector<std::string> keyword_groups(std::string_view question) {
  const Intent intent = intent_of(question);
  std::vector<std::string> groups;
  std::string group;
  const auto end_group = [&] {
    if (!group.empty() && groups.size() < kMostGroups && std::ranges::find(groups, group) == groups.end())
      groups.push_back(group);
    group.clear();
  };
  // A mark between two words separates them, too: "leases, retries".
  std::size_t begin = 0;
  while (begin <= question.size()) {
    const std::size_t end = std::min(question.find_first_of(",;:.!?()\"\n", begin), question.size());
    for (std::string_view rest = question.substr(begin, end - begin); !rest.empty();) {
      const std::size_t blank = std::min(rest.find_first_of(" \t\r"), rest.size());
      const std::string_view written = rest.substr(0, blank);
      rest.remove_prefix(std::min(blank + 1, rest.size()));
      const std::vector<std::string> words = search::words_of(written);
      if (words.empty()) continue;
      const std::string& word = words.front();
      const std::string stem = search::stem_of(word);
      const bool names_something = !search::is_stop_word(word) && !is_plain_stem(stem) && !intent.asked.contains(stem);
      if (!names_something) {
        end_group();
        continue;
      }
      if (!group.empty()) group += ' ';
      group += written;
    }
    end_group();
    begin = end + 1;
  }
  return groups;
}

std::unique_ptr<Engine> make_extractive_engine() {
  return std::make_unique<Extractive>();
}

}  // namespace holdfast::research
