// holdfast review accept|reject, and holdfast review alone: verdicts of a person.

#include "cli/sessions/review_text.h"
#include "operations/documents/review.h"
#include "operations/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {

namespace {

using documents::PendingChange;

constexpr std::size_t kLongestComment = 4096;  // bytes, typed on one line

// On what a person has before the eyes.
Result<operations::Facts> give_verdict(const Context& context, TranscriptWork& work, operations::Given given, bool accept) {
  given.set("commit", context.given.flag("commit"));
  return operations::find_operation(accept ? "review accept" : "review reject")->run(work, given);
}

Result<std::vector<PendingChange>> all_pending(TranscriptWork& work) {
  auto found = operations::pending_changes(work, {});
  if (!found) return fail(in_commands(std::move(found).error()));
  return found;
}

constexpr std::string_view kQuestion = "accept, reject, comment, skip, back, all of this file, quit? [a/r/c/s/b/A/R/q/?] ";
constexpr std::string_view kRemarkQuestion = "resolve, skip, back, quit? [r/s/b/q/?] ";
constexpr std::string_view kKeys =
    "  a  accept this change          A  accept all changes of this file\n"
    "  r  reject it (or resolve)      R  reject all changes of this file\n"
    "  c  comment on it               b  back to the one before\n"
    "  s  skip it, for now            q  quit; what is decided stays decided\n";

// What one person decides one after another. After every decision it is read anew what is pending: lines and context have moved,
// and a model may be at work at the same time.
class Walk {
 public:
  Walk(const Context& context, TranscriptWork& work) : context_(context), work_(work) {}

  Result<void> over(std::vector<PendingChange> changes) {
    pending_ = std::move(changes);
    while (at_ < pending_.size()) {
      HF_TRY(const bool go_on, ask());
      if (!go_on) break;
    }
    print(fmt::format("\naccepted {}, rejected {}, resolved {}, left {}\n", accepted_, rejected_, resolved_, pending_.size()));
    return {};
  }

 private:
  const PendingChange& change() const { return pending_[at_]; }

  // False: enough for today.
  Result<bool> ask() {
    const std::size_t decided = accepted_ + rejected_ + resolved_;
    print(fmt::format("\n{} {}", context_.terminal.soft(fmt::format("{}/{}", decided + at_ + 1, decided + pending_.size())),
                      change_text(change(), context_.clock->now(), context_.terminal)));
    const bool remark = is_remark(change());
    for (;;) {
      print_note(remark ? kRemarkQuestion : kQuestion);
      const char key = read_key();
      constexpr char kCtrlC = 3, kCtrlD = 4;
      const bool shown = key > ' ' && key < 0x7F;
      print_note(shown ? std::string{key, '\n'} : "\n");
      switch (key) {
        case 0:
        case kCtrlC:
        case kCtrlD:
        case 'q':
          return false;
        case 's':
          ++at_;
          return true;
        case 'b':
          if (at_ == 0) {
            print_note("this is the first one that is pending\n");
            break;
          }
          --at_;
          return true;
        case 'r':
          return decide({&change()}, false);
        case 'a':
          if (remark) break;
          return decide({&change()}, true);
        case 'A':
        case 'R':
          if (remark) break;
          return decide(of_this_file(), key == 'A');
        case 'c':
          if (remark) break;
          return comment();
        default:
          print_note(kKeys);
      }
    }
  }

  // Those that were read, and none that a model has proposed since.
  std::vector<const PendingChange*> of_this_file() const {
    std::vector<const PendingChange*> found;
    for (const PendingChange& each : pending_)
      if (each.path == change().path && !is_remark(each)) found.push_back(&each);
    return found;
  }

  // What fails is said, and the walk goes on: the next change may be all right.
  Result<bool> decide(const std::vector<const PendingChange*>& changes, bool accept) {
    JsonArray ids;
    for (const PendingChange* each : changes) ids.emplace_back(each->id);
    auto report = give_verdict(context_, work_, operations::Given({{"change", std::move(ids)}}), accept);
    if (!report) {
      print_error(report.error(), false);
      ++at_;
      return true;
    }
    std::size_t& count = is_remark(*changes.front()) ? resolved_ : accept ? accepted_ : rejected_;
    const std::size_t applied = find_array(*report, "applied")->size();
    count += applied;
    print(report_text(*report, accept, context_.terminal));
    if (applied == 0) ++at_;
    return look_again();
  }

  Result<bool> comment() {
    print_note("comment: ");
    const std::string note = read_answer(kLongestComment);
    if (note.empty()) return true;
    auto commented = operations::comment_on_change(work_, operations::Given({{"change", change().id}, {"text", note}}));
    if (!commented) print_error(commented.error(), false);
    return look_again();
  }

  // Goes on at the change that was next, whatever came or went in front of it.
  Result<bool> look_again() {
    const std::vector<PendingChange> before = std::move(pending_);
    HF_TRY(pending_, all_pending(work_));
    const auto place_of = [&](const PendingChange& wanted) {
      return static_cast<std::size_t>(
          std::ranges::find_if(pending_,
                               [&](const PendingChange& each) { return each.path == wanted.path && each.mark == wanted.mark; }) -
          pending_.begin());
    };
    std::size_t next = pending_.size();
    for (std::size_t i = at_; i < before.size() && next == pending_.size(); ++i) next = place_of(before[i]);
    at_ = next;
    return true;
  }

  const Context& context_;
  TranscriptWork& work_;
  std::vector<PendingChange> pending_;
  std::size_t at_ = 0;  // of pending_
  std::size_t accepted_ = 0, rejected_ = 0, resolved_ = 0;
};

}  // namespace

Result<void> decide_changes(Context& context) {
  const bool accept = context.command->name() == "accept";
  HF_TRY(const auto work, TranscriptWork::begin(context, TranscriptWork::Died::leave));
  auto report = work->perform();
  if (!report) return fail(in_commands(std::move(report).error()));
  if (context.json)
    print_json(*report);
  else
    print(report_text(*report, accept, context.terminal));
  const std::size_t failed = find_array(*report, "failed")->size();
  if (failed == 0) return {};
  return fail(ErrorKind::conflict,
              fmt::format("{} of {} could not be decided", failed, failed + find_array(*report, "applied")->size()),
              "holdfast review list shows what is pending now", "partly_done");
}

Result<void> review_one_by_one(Context& context) {
  if (context.json || context.terminal.width == 0 || !somebody_is_there()) return list_changes(context);
  HF_TRY(const auto work, TranscriptWork::begin(context, TranscriptWork::Died::leave));
  HF_TRY(auto changes, all_pending(*work));
  if (changes.empty()) {
    print("no pending changes\n");
    return {};
  }
  return Walk(context, *work).over(std::move(changes));
}

}  // namespace holdfast::cli
