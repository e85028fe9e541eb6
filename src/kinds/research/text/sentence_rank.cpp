#include "kinds/research/text/sentence_rank.h"

#include "base/text/text.h"
#include "kinds/research/engine/claims.h"
#include "kinds/research/text/question_words.h"
#include "search/words/bm25.h"
#include "search/words/stems.h"
#include "search/words/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace holdfast::research {

namespace {

// What an answer looks like, told by how the question is asked: "how long" wants a time, "which option" the name of an option,
// "which variable" a name in capitals. It says nothing about the subject; a sentence that looks like an answer goes before one
// that has the same words and does not. English. Pure.

constexpr double kHasNumber = 1.4;
constexpr double kHasUnit = 1.3;    // and of the kind that was asked for
constexpr double kHasName = 1.5;    // an option, a variable, a path
constexpr double kHasOption = 1.2;  // "how do I" is answered by prose as well
constexpr double kDenies = 1.25;
constexpr double kDefines = 1.35;
constexpr std::size_t kBeginning = 4;  // words: "The hold space is"

constexpr std::string_view kTimes = "second minute hour day week month year ms s millisecond once twice immediate instant";
constexpr std::string_view kAmounts = "byte kb mb gb tb kib mib gib tib k percent megabyte kilobyte gigabyte character bit";
constexpr std::string_view kCounted = "once twice every daily";

using Stems = std::set<std::string, std::less<>>;

Stems stems_of(std::string_view words) {
  Stems stems;
  for (const std::string& word : search::words_of(words)) stems.insert(search::stem_of(word));
  return stems;
}

bool has_any(const std::vector<std::string>& stems, const Stems& wanted) {
  return std::ranges::any_of(stems, [&](const std::string& stem) { return wanted.contains(stem); });
}

bool is_name_character(char c) {
  return is_ascii_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Runs a test over the words of a text as they are written, without the marks around them.
template <class Test>
bool any_written(std::string_view text, Test test) {
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find_first_of(" |"), text.size());
    std::string_view word = text.substr(0, blank);
    while (!word.empty() && std::string_view("\"'`([{<*").find(word.front()) != std::string_view::npos) word.remove_prefix(1);
    if (word.starts_with("‘") || word.starts_with("“")) word.remove_prefix(std::string_view("‘").size());
    if (!word.empty() && test(word)) return true;
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return false;
}

bool is_option(std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return false;
  const std::size_t name = word.find_first_not_of('-');
  return name <= 2 && name != word.npos && is_name_character(word[name]);
}

bool is_variable(std::string_view word) {
  if (word.starts_with('$')) word.remove_prefix(1);
  const std::size_t end = std::min(word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"), word.size());
  constexpr std::size_t kLeast = 3;
  return end >= kLeast && word.substr(0, end).find('_') != word.npos;
}

bool is_path(std::string_view word) {
  const std::size_t slash = word.find('/');
  return slash != word.npos && word.size() > 2 && (slash == 0 || word[0] == '~' || word[0] == '.' || word[0] == '$');
}

struct AnswerKind {
  bool number = false;      // "how many", "limit"
  bool time = false;        // "how long", "when does it expire"
  bool amount = false;      // "how large", "how much": bytes, percent
  bool option = false;      // "which option", "how do I": "--keep", "-k", `command`
  bool variable = false;    // "which environment variable": HOME_OF_IT
  bool place = false;       // "where", "which file": a path
  bool denial = false;      // "what happens if there is no": one that denies, too
  bool definition = false;  // "what is X", "what does X do": begins with X
};

AnswerKind answer_kind_of(std::string_view question) {
  AnswerKind kind;
  const std::vector<std::string> words = search::words_of(question);
  const auto has = [&](std::initializer_list<std::string_view> wanted) {
    return std::ranges::any_of(words, [&](const std::string& word) { return std::ranges::find(wanted, word) != wanted.end(); });
  };
  const auto follows = [&](std::string_view first, std::initializer_list<std::string_view> second) {
    for (std::size_t i = 1; i < words.size(); ++i)
      if (words[i - 1] == first && std::ranges::find(second, words[i]) != second.end()) return true;
    return false;
  };
  kind.time =
      follows("how", {"long", "often", "soon", "fast", "old"}) || has({"when", "expire", "expires", "timeout", "interval"});
  kind.amount = follows("how", {"big", "large", "much", "long"}) || has({"size", "memory", "large", "percent"});
  kind.number = follows("how", {"many", "far", "big", "large", "long", "much", "often", "old", "fast"}) ||
                has({"limit", "maximum", "minimum", "number", "percent", "port", "size", "version", "code", "status", "level"});
  kind.option =
      has({"option", "options", "flag", "flags", "switch", "command", "argument"}) || follows("how", {"do", "can", "to"});
  kind.variable = has({"variable", "variables"});
  kind.place = has({"where", "file", "path", "folder", "directory"});
  kind.denial = claim_of(question).denies;
  kind.definition = words.size() > 1 && words[0] == "what" && has({"is", "are", "does", "mean", "means", "do"});
  return kind;
}

// How many times more than another sentence this one is worth, by its looks alone: 1 and more. stems: of the sentence, in order;
// subject: of the question.
double looks_like(const AnswerKind& kind, std::string_view text, const std::vector<std::string>& stems,
                  const std::vector<std::string>& subject) {
  double factor = 1;
  static const Stems times = stems_of(kTimes), amounts = stems_of(kAmounts), counted = stems_of(kCounted);
  if ((kind.number || kind.time || kind.amount) && (has_any(stems, counted) || !claim_of(text).numbers.empty())) {
    if (kind.number) factor *= kHasNumber;
    if ((kind.time && has_any(stems, times)) || (kind.amount && (has_any(stems, amounts) || text.find('%') != text.npos)))
      factor *= kHasUnit;
  }
  if (kind.variable && any_written(text, is_variable)) factor *= kHasName;
  if (kind.place && any_written(text, is_path)) factor *= kHasOption;
  if (kind.option && any_written(text, is_option)) factor *= kHasOption;
  if (kind.denial && claim_of(text).denies) factor *= kDenies;
  if (kind.definition) {
    const auto beginning =
        std::vector<std::string>(stems.begin(), stems.begin() + static_cast<std::ptrdiff_t>(std::min(stems.size(), kBeginning)));
    const auto begins_with = [&](const std::string& stem) { return std::ranges::find(beginning, stem) != beginning.end(); };
    if (!subject.empty() && std::ranges::all_of(subject, begins_with)) factor *= kDefines;
  }
  return factor;
}

// Words of the question that are more than letters, as they stand: "--delete", "store.db", "/metrics", "accept-new", "30", "&".
std::vector<std::string> literals_of(std::string_view question) {
  constexpr std::string_view kAround = "\"'`()[]{}<>,;:?!.*“”‘’";
  std::vector<std::string> literals;
  while (!question.empty()) {
    const std::size_t blank = std::min(question.find_first_of(" \t\r\n"), question.size());
    std::string_view word = question.substr(0, blank);
    question.remove_prefix(std::min(blank + 1, question.size()));
    // A full stop in front belongs to a name: ".zst".
    const std::size_t begin = word.find_first_not_of("\"'`()[]{}<>,;:?!*“”‘’");
    if (begin == word.npos) continue;
    word.remove_prefix(begin);
    word = word.substr(0, word.find_last_not_of(kAround) + 1);
    const bool is_word =
        std::ranges::all_of(word, [](char c) { return (is_name_character(c) && c != '-' && c != '_') || c == '\''; });
    const bool is_number = std::ranges::all_of(word, is_ascii_digit);
    if (word.empty() || (is_word && !is_number)) continue;
    if (word.find_first_not_of("-") == word.npos) continue;  // a dash
    if (std::ranges::find(literals, word) == literals.end()) literals.emplace_back(word);
  }
  return literals;
}

// The text has it, and not as a part of something longer.
bool has_literal(std::string_view text, std::string_view literal) {
  for (std::size_t at = text.find(literal); at != text.npos; at = text.find(literal, at + 1)) {
    const std::size_t end = at + literal.size();
    const bool begins = at == 0 || !is_name_character(literal.front()) || !is_name_character(text[at - 1]) ||
                        static_cast<unsigned char>(text[at - 1]) >= 0x80;
    const bool ends = end == text.size() || !is_name_character(literal.back()) || !is_name_character(text[end]) ||
                      static_cast<unsigned char>(text[end]) >= 0x80;
    if (begins && ends) return true;
  }
  return false;
}

// And which sentences are worth ranking.

// Shorter ones are labels, longer ones are tables and lists that were not recognised: neither reads well as a quotation.
constexpr std::size_t kLeastWords = 4;
constexpr std::size_t kLeastWordsOfRow = 2;  // its head says what they are about
constexpr std::size_t kMostCharacters = 600;
constexpr std::size_t kMostSentencesOfSource = 5000;  // of a 2 MiB page; bounds time and memory
// A word of the heading or title is about the sentence, but not in it.
constexpr double kContextOccurrence = 0.4;
// A word of the term that an entry of a manual explains.
constexpr double kEntryOccurrence = 0.7;
// "What did we decide": a sentence that tells a decision is worth this many times one that does not.
constexpr double kIntentFactor = 2.0;
// And one that uses the very word of the question is the clearest answer.
constexpr double kSameWordFactor = 3.0;
// Questions and contents of forms are about the subject without saying anything about it.
constexpr double kQuestionFactor = 0.5;

// A heading, a label, an item without a verb: a sentence that says the same says it better.
constexpr double kFragmentFactor = 0.7;
// An entry of an index, a reference: what is meant stands elsewhere.
constexpr double kPointerFactor = 0.2;
// The sentence that an entry begins with says what it is about.
constexpr double kOpensEntry = 1.2;
// "How do I": a command with a remark shows it.
constexpr double kCommandFactor = 1.2;
// "The options are these:"
constexpr double kOpeningFactor = 0.8;

constexpr double kShort = 0.7;  // of the mean length

// Of a word that stands in the same paragraph before the sentence, and of a word that means about the same.
constexpr double kNearby = 0.3;
constexpr double kSynonym = 0.6;
// "keep", "change", "nobody" tell little of what a question is about, however rare they are.
constexpr double kPlainWeight = 0.3;
constexpr double kPlainWeightOfFew = 0.5;  // of a question that has next to nothing else
constexpr std::size_t kFew = 2;
constexpr double kLiteralWeight = 1.3;  // beside its words, which count, too

bool is_row(std::string_view text) {
  return text.starts_with('|');
}

bool is_fragment(std::string_view text) {
  constexpr std::string_view kEnds = ".!?:;)\"'`*_";
  return !is_row(text) && !text.empty() && kEnds.find(text.back()) == kEnds.npos &&
         static_cast<unsigned char>(text.back()) < 0x80;
}

// Begins with a word that is about what was said before.
bool leans_back(std::string_view text) {
  constexpr auto kLeaning = std::to_array<std::string_view>(
      {"It ",    "This ", "That ",   "These ",       "Those ",     "They ", "The default", "Otherwise", "Such ",       "If so",
       "If not", "Then ", "However", "In this case", "By default", "Its ",  "Their ",      "Default",   "A value of ", "Valid "});
  return std::ranges::any_of(kLeaning, [&](std::string_view word) { return text.starts_with(word); });
}

// Prose, not code or numbers: mostly letters. Cells of a table are numbers and names more often, and that is what they are for.
bool reads_well(const std::string& text) {
  const std::size_t least = is_row(text) ? 3 : 6;  // tenths
  if (text.size() > kMostCharacters) return false;
  const auto letters = std::ranges::count_if(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ' || static_cast<unsigned char>(c) >= 0x80;
  });
  return static_cast<std::size_t>(letters) * 10 >= text.size() * least;
}

// Thai and its neighbours have no blanks between words: there a sentence is a word or two.
bool has_enough(const std::string& text, std::size_t words) {
  constexpr std::size_t kLeastCharacters = 12;
  const auto beyond =
      static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }));
  return words >= (is_row(text) ? kLeastWordsOfRow : kLeastWords) ||
         (beyond * 2 > text.size() && utf8_length(text) >= kLeastCharacters);
}

std::vector<std::string> stems_in(std::string_view text) {
  std::vector<std::string> stems;
  for (const std::string& word : search::words_of(text)) stems.push_back(search::stem_of(word));
  return stems;
}

}  // namespace

std::vector<std::string> subject_stems(std::string_view question) {
  const Intent intent = intent_of(question);
  std::vector<std::string> all = content_stems(question), subject;
  for (const std::string& stem : all)
    if (!intent.asked.contains(stem) && !is_plain_stem(stem)) subject.push_back(stem);
  return subject.empty() ? all : subject;
}

double likeness(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const std::set<std::string_view> in_a(a.begin(), a.end()), in_b(b.begin(), b.end());
  const auto& small = in_a.size() <= in_b.size() ? in_a : in_b;
  const auto& large = in_a.size() <= in_b.size() ? in_b : in_a;
  if (small.empty()) return 0;
  const auto shared = std::ranges::count_if(small, [&](std::string_view stem) { return large.contains(stem); });
  return static_cast<double>(shared) / static_cast<double>(small.size());
}

SentenceRanking::SentenceRanking(const std::vector<const Source*>& sources) {
  std::size_t words = 0;
  for (const Source* source : sources) {
    const std::vector<std::string> title = stems_in(source->title);
    std::size_t taken = 0, paragraph = std::string::npos;
    std::string previous;             // of the paragraph
    std::vector<std::string> before;  // likewise, all of them
    for (Sentence& sentence : sentences_of(source->text())) {
      if (++taken > kMostSentencesOfSource) break;
      if (std::exchange(paragraph, sentence.paragraph) != sentence.paragraph) {
        previous.clear();
        before.clear();
      }
      std::vector<std::string> stems = stems_in(sentence.text);
      const bool leans = !previous.empty() && leans_back(sentence.text);
      std::string written = leans ? previous + ' ' + sentence.text : sentence.text;
      if (written.size() > kMostCharacters) written = sentence.text;
      if (reads_well(sentence.text) && has_enough(sentence.text, stems.size())) {
        Candidate candidate{source,
                            sentence.text,
                            stems,
                            stems_in(sentence.heading),
                            stems_in(sentence.entry),
                            before,
                            written,
                            sentence.points,
                            !sentence.entry.empty() && before.empty() && sentence.text.starts_with(sentence.entry),
                            sentence.command};
        candidate.context.insert(candidate.context.end(), title.begin(), title.end());
        words += candidate.words.size();
        std::set<std::string> held(candidate.words.begin(), candidate.words.end());
        held.insert(candidate.context.begin(), candidate.context.end());
        for (const std::string& stem : held) ++holding_[stem];
        candidates_.push_back(std::move(candidate));
      }
      before.insert(before.end(), stems.begin(), stems.end());
      previous = std::move(written);
    }
  }
  if (!candidates_.empty()) mean_length_ = static_cast<double>(words) / static_cast<double>(candidates_.size());
}

bool SentenceRanking::mentions(const std::string& stem) const {
  return holding_.contains(stem);
}

struct SentenceRanking::Term {
  std::string stem;
  std::vector<std::string> synonyms;
  std::string joined;  // with the word before or behind: "hard links" is "hardlinks"
  bool plain = false;  // does not name the subject
};

std::vector<SentenceRanking::Term> SentenceRanking::terms_of(std::string_view question) {
  const Intent intent = intent_of(question);
  const std::vector<std::string> subject = subject_stems(question);
  std::vector<Term> terms;
  for (const std::string& stem : content_stems(question)) {
    if (intent.asked.contains(stem) && std::ranges::find(subject, stem) == subject.end()) continue;
    terms.push_back({stem, synonyms_of(stem), {}, std::ranges::find(subject, stem) == subject.end()});
  }
  const std::vector<std::string> words = search::words_of(question);
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (search::is_stop_word(words[i - 1]) || search::is_stop_word(words[i])) continue;
    const std::string first = search::stem_of(words[i - 1]), second = search::stem_of(words[i]),
                      both = search::stem_of(words[i - 1] + words[i]);
    for (Term& term : terms)
      if (term.stem == first || term.stem == second) term.joined = both;
  }
  return terms;
}

double SentenceRanking::presence(const Term& term, const Candidate& candidate) {
  const auto in = [](const std::vector<std::string>& stems, const std::string& stem) {
    return !stem.empty() && std::ranges::find(stems, stem) != stems.end();
  };
  const auto any_in = [&](const std::vector<std::string>& stems) {
    return std::ranges::any_of(term.synonyms, [&](const std::string& stem) { return in(stems, stem); });
  };
  // A sentence that says a word twice is not twice as much about it: it is there, around it, or not.
  if (in(candidate.words, term.stem) || in(candidate.words, term.joined)) return 1;
  if (any_in(candidate.words)) return kSynonym;
  if (in(candidate.entry, term.stem) || in(candidate.entry, term.joined)) return kEntryOccurrence;
  if (in(candidate.context, term.stem) || in(candidate.context, term.joined)) return kContextOccurrence;
  if (in(candidate.before, term.stem)) return kNearby;
  if (any_in(candidate.context)) return kContextOccurrence * kSynonym;
  return 0;
}

// Of a word that no sentence has, as of one that has it: what stands for it is as rare.
double SentenceRanking::weight_of(const std::string& stem) const {
  const auto holding = holding_.find(stem);
  const double texts = static_cast<double>(candidates_.size());
  return search::word_weight(texts, holding == holding_.end() ? 1 : static_cast<double>(holding->second));
}

std::vector<RankedSentence> SentenceRanking::best(std::string_view question, std::size_t limit) const {
  const std::vector<std::string> subject = subject_stems(question);
  const std::vector<Term> terms = terms_of(question);
  const Intent intent = intent_of(question);
  const std::vector<std::string> asked = content_stems(question);
  const AnswerKind kind = answer_kind_of(question);
  std::vector<std::pair<std::string, double>> literals;
  for (std::string& literal : literals_of(question)) {
    const auto holding =
        std::ranges::count_if(candidates_, [&](const Candidate& each) { return has_literal(each.text, literal); });
    if (holding == 0) continue;
    literals.emplace_back(std::move(literal),
                          kLiteralWeight * search::kHighestTerm / 2 *
                              search::word_weight(static_cast<double>(candidates_.size()), static_cast<double>(holding)));
  }
  const double plain_weight = subject.size() <= kFew ? kPlainWeightOfFew : kPlainWeight;
  std::vector<RankedSentence> ranked;
  for (std::size_t place = 0; place < candidates_.size(); ++place) {
    const Candidate& candidate = candidates_[place];
    // A long sentence has words by accident; one that is shorter than most is not better for it.
    const double norm =
        search::length_norm(std::max(static_cast<double>(candidate.words.size()), kShort * mean_length_), mean_length_);
    double score = 0, covered = 0;
    bool about = false;
    for (const Term& term : terms) {
      const double present = presence(term, candidate);
      if (present == 0) continue;
      if (!term.plain) covered += 0.5 + 0.5 * present;
      about = about || !term.plain;
      score += (term.plain ? plain_weight : 1) * weight_of(term.stem) * search::term_score(present, norm);
    }
    for (const auto& [literal, weight] : literals)
      if (has_literal(candidate.text, literal) || has_literal(candidate.written, literal)) {
        score += weight;
        about = true;
      }
    if (!about) continue;
    RankedSentence sentence{candidate.written, candidate.text, candidate.source, candidate.words, score, 0, place};
    sentence.coverage = std::min(1.0, covered / static_cast<double>(subject.size()));
    sentence.score *= 0.5 + 0.5 * sentence.coverage;
    const auto answers = [&](const std::string& stem) { return intent.answered.contains(stem); };
    const auto same_word = [&](const std::string& stem) {
      return answers(stem) && std::ranges::find(asked, stem) != asked.end();
    };
    if (std::ranges::any_of(candidate.words, same_word))
      sentence.score *= kSameWordFactor;
    else if (std::ranges::any_of(candidate.words, answers))
      sentence.score *= kIntentFactor;
    if (candidate.text.ends_with('?')) sentence.score *= kQuestionFactor;
    if (candidate.command && kind.option)
      sentence.score *= kCommandFactor;
    else if (is_fragment(candidate.text))
      sentence.score *= kFragmentFactor;
    if (candidate.points) sentence.score *= kPointerFactor;
    if (candidate.opens) sentence.score *= kOpensEntry;
    if (candidate.text.ends_with(':')) sentence.score *= kOpeningFactor;
    sentence.score *= looks_like(kind, candidate.text, candidate.words, subject);
    ranked.push_back(std::move(sentence));
  }
  // Rounded, so that the last bits of a sum cannot change the order on another machine; then as they stand in the sources.
  std::ranges::sort(
      ranked, {}, [](const RankedSentence& sentence) { return std::pair(-std::llround(sentence.score * 1e6), sentence.place); });
  if (ranked.size() > limit) ranked.resize(limit);
  return ranked;
}

}  // namespace holdfast::research
