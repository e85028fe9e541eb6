#include "kinds/reasoning/read/brief.h"

#include "base/text/text.h"
#include "kinds/reasoning/read/read.h"
#include "kinds/reasoning/read/title.h"
#include "session/query/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace holdfast::reasoning {

namespace {

using Place = std::pair<std::string, std::int64_t>;

constexpr std::size_t kItemCharacters = 240;  // of one line; the number leads to the rest

std::string line_of(std::string_view text) {
  return shorten(one_line(text), kItemCharacters);
}

std::string label(const Thought& thought) {
  return thought.branch.empty() ? fmt::format("S{}", thought.number)
                                : fmt::format("{}:S{}", line_of(thought.branch), thought.number);
}

// What is still in force, gathered while the thoughts pass by: a revision takes the place of what it revises.
class State {
 public:
  void add(const Thought& thought) {
    if (thought.damage) return;  // nobody knows that it was thought
    if (thought.revises) forget({thought.revises_main ? "" : thought.branch, *thought.revises});
    const Place here{thought.branch, thought.number};
    if (thought.type == "decision_frame") decisions_[here] = {thought.seq, label(thought) + " " + decision(thought)};
    if (thought.type == "question") questions_[here] = {thought.seq, label(thought) + " " + line_of(thought.text)};
    if (thought.type == "conclusion") conclusions_[here] = {thought.seq, label(thought) + " " + line_of(thought.text)};
    if (const JsonObject* change = find_object(thought.payload, "assumptionChange")) {
      const std::string what = line_of(find_string(*change, "text").value_or(""));
      assumptions_.erase(what);
      if (find_string(*change, "newStatus") == "refuted")
        assumptions_[what] = {thought.seq, fmt::format("{} {}{}", label(thought), what, trigger(*change))};
    }
    if (const JsonObject* progress = find_object(thought.payload, "progressData")) {
      const std::string task = line_of(find_string(*progress, "task").value_or(""));
      const std::string status(find_string(*progress, "status").value_or(""));
      tasks_.erase(task);
      if (status != "done")
        tasks_[task] = {thought.seq, fmt::format("{} {}: {}{}", label(thought), task, status, note(*progress))};
    }
  }

  std::vector<std::string> decisions() const { return newest_first(decisions_); }
  std::vector<std::string> conclusions() const { return newest_first(conclusions_); }
  std::vector<std::string> questions() const { return newest_first(questions_); }
  std::vector<std::string> refuted() const { return newest_first(assumptions_); }
  std::vector<std::string> unfinished() const { return newest_first(tasks_); }

 private:
  struct Line {
    std::int64_t seq = 0;
    std::string text;
  };

  template <class Map>
  static std::vector<std::string> newest_first(const Map& lines) {
    std::vector<const Line*> sorted;
    for (const auto& [key, line] : lines) sorted.push_back(&line);
    std::ranges::sort(sorted, std::greater{}, &Line::seq);
    std::vector<std::string> out;
    for (const Line* line : sorted) out.push_back(line->text);
    return out;
  }
  static std::string decision(const Thought& thought) {
    std::string chosen;
    if (const JsonArray* options = find_array(thought.payload, "options"))
      for (const Json& option : *options)
        if (option.is_object() && find_bool(option.as_object(), "selected").value_or(false))
          chosen = find_string(option.as_object(), "label").value_or("");
    const std::string confidence(find_string(thought.payload, "confidence").value_or(""));
    return fmt::format("{} ({} confidence): {}", line_of(chosen), confidence, line_of(thought.text));
  }
  static std::string trigger(const JsonObject& change) {
    const auto text = find_string(change, "trigger");
    return text && !text->empty() ? fmt::format(" (because {})", line_of(*text)) : "";
  }
  static std::string note(const JsonObject& progress) {
    const auto text = find_string(progress, "note");
    return text && !text->empty() ? fmt::format(" ({})", line_of(*text)) : "";
  }
  void forget(const Place& place) {
    decisions_.erase(place);
    questions_.erase(place);
    conclusions_.erase(place);
  }

  std::map<Place, Line> decisions_, questions_, conclusions_;
  std::map<std::string, Line> assumptions_, tasks_;
};

// Lines as long as they fit. Characters, not bytes: the budget is one of a reader.
class Budget {
 public:
  explicit Budget(std::size_t characters) : left_(characters) {}
  bool add(const std::string& line) {
    const std::size_t length = utf8_length(line) + 1;
    if (length > left_) {
      cut_ = true;
      return false;
    }
    left_ -= length;
    text_ += line + "\n";
    return true;
  }
  void section(std::string_view heading, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    const std::string first = "- " + lines.front();
    if (utf8_length(heading) + utf8_length(first) + 6 > left_) {
      cut_ = true;
      return;
    }
    add(fmt::format("\n## {}", heading));
    for (const std::string& line : lines)
      if (!add("- " + line)) return;
  }
  const std::string& text() const { return text_; }
  bool cut() const { return cut_; }

 private:
  std::size_t left_;
  std::string text_;
  bool cut_ = false;
};

}  // namespace

Result<Brief> make_brief(session::Reader& reader, const session::SessionRecord& record, const BriefOptions& options, Millis now) {
  State state;
  HF_CHECK(each_thought(reader, record.id, [&](Thought&& thought) {
    state.add(thought);
    return true;
  }));
  HF_TRY(std::vector<Thought> last, last_thoughts(reader, record.id, options.recent));
  std::vector<std::string> recent;
  for (const Thought& thought : last)
    recent.push_back(label(thought) + (thought.damage ? " (damaged, not shown)" : " " + line_of(thought.text)));

  Budget budget(std::max(options.max_chars, kLeastBrief));
  const std::string goal = line_of(session::shown_title(record));
  budget.add(fmt::format("# Goal: {}", goal));
  budget.add(fmt::format("Session {} ({}), {} thoughts, last {}. Next number {}.", record.id, record.status, total_count(record),
                         session::age(record.updated_at, now), record.highest_number("") + 1));
  // The last thoughts come first in the budget's eyes: without them nobody can go on.
  std::vector<std::string> decisions = state.decisions();
  const std::vector<std::string> conclusions = state.conclusions();
  budget.section("Last thoughts", recent);
  budget.section("Decisions in force", decisions);
  budget.section("Unfinished", state.unfinished());
  budget.section("Open questions", state.questions());
  budget.section("Refuted assumptions", state.refuted());
  budget.section("Conclusions", conclusions);

  Brief brief;
  brief.text = budget.text();
  brief.cut = budget.cut();
  brief.parts = {{"goal", goal},
                 {"recent", to_json_array(recent)},
                 {"decisions", to_json_array(decisions)},
                 {"unfinished", to_json_array(state.unfinished())},
                 {"questions", to_json_array(state.questions())},
                 {"refuted", to_json_array(state.refuted())},
                 {"conclusions", to_json_array(conclusions)}};
  return brief;
}

}  // namespace holdfast::reasoning
