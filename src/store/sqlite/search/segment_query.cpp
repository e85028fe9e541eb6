#include "store/sqlite/search/segment_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace holdfast::store {

namespace {

using search::WordTerm;
using Terms = std::vector<WordTerm>;

// The last word of a term, which may be the beginning of longer ones.
std::string_view last_word(const WordTerm& term) {
  return std::string_view(term.words).substr(term.words.rfind(' ') + 1);
}

// The same question for FTS5: words are letters and digits, so quotes are all it takes.
std::string fts_expression(const Terms& terms) {
  std::string out;
  for (const WordTerm& term : terms)
    out += fmt::format("{}\"{}\"{}", out.empty() ? "" : " ", term.words, term.prefix ? " *" : "");
  return out;
}

class Question {
 public:
  Question(Db& index, const IndexTable& table) : index_(index), table_(table) {}

  Result<void> ask(const std::string& expression, const std::function<bool(std::int64_t)>& on_number) {
    HF_TRY(auto rows, index_.query(fmt::format("SELECT rowid FROM {0} WHERE {0} MATCH ? AND rowid BETWEEN ? AND ? "
                                               "ORDER BY rowid DESC",
                                               table_.name),
                                   expression, table_.first, table_.last));
    while (true) {
      HF_TRY(const bool more, rows.next());
      if (!more || !on_number(rows.integer(0))) return {};
    }
  }

  // All of them, unless they are more than a few.
  Result<std::optional<std::vector<std::int64_t>>> few(const std::string& expression) {
    std::vector<std::int64_t> numbers;
    HF_CHECK(ask(expression, [&](std::int64_t number) {
      numbers.push_back(number);
      return numbers.size() <= kFewNumbers;
    }));
    if (numbers.size() > kFewNumbers) return std::nullopt;
    return numbers;
  }

  // The words of the table that begin so; nullopt when there are too many to be asked for one by one.
  Result<std::optional<std::vector<std::string>>> continuations(std::string_view beginning) {
    const std::string sql = fmt::format("SELECT term FROM {} WHERE term >= ? AND term < ? LIMIT 1", table_.terms);
    // No byte of a word is so low, and none so high.
    const std::string end = std::string(beginning) + '\xff';
    std::string from(beginning);
    std::vector<std::string> words;
    while (true) {
      HF_TRY(auto rows, index_.query(sql, from, end));
      HF_TRY(const bool more, rows.next());
      if (!more) return words;
      if (words.size() == kMaxContinuations) return std::nullopt;
      words.emplace_back(rows.text(0));
      from = words.back() + '\x01';
    }
  }

 private:
  Db& index_;
  const IndexTable& table_;
};

}  // namespace

Result<void> find_numbers(Db& index, const IndexTable& table, const std::vector<search::WordTerm>& terms,
                          const std::function<bool(std::int64_t)>& on_number) {
  Question question(index, table);
  const WordTerm& last = terms.back();
  const std::string_view beginning = last_word(last);
  if (!last.prefix) return question.ask(fts_expression(terms), on_number);

  const std::string others = fts_expression(Terms(terms.begin(), terms.end() - 1));
  if (!others.empty()) {
    HF_TRY(const auto numbers, question.few(others));
    if (numbers) {
      static_cast<void>(std::ranges::all_of(*numbers, on_number));
      return {};
    }
  }
  HF_TRY(const auto by_itself, question.few(fts_expression({{last.words + ' ', false}})));
  if (by_itself) return question.ask(fts_expression(terms), on_number);
  HF_TRY(const auto continuations, question.continuations(beginning));
  if (!continuations) return question.ask(fts_expression(terms), on_number);

  const std::string before = last.words.substr(0, last.words.size() - beginning.size());
  std::string any;
  for (const std::string& word : *continuations) {
    any += fmt::format("{}{}", any.empty() ? "" : " OR ", fts_expression({{before + word + ' ', false}}));
  }
  return question.ask(others.empty() ? any : fmt::format("({}) AND ({})", others, any), on_number);
}

}  // namespace holdfast::store
