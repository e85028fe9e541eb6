// holdfast review accept|reject, and holdfast review alone: verdicts of a person.

#include "base/text.h"
#include "cli/commands.h"
#include "cli/review_desk.h"
#include "cli/review_text.h"

#include <fmt/format.h>

namespace holdfast::cli {

namespace {

using documents::PendingChange;
using documents::VerdictReport;

constexpr std::size_t kLongestComment = 4096;  // bytes, typed on one line

bool commits(const Context& context, bool accept) {
  return accept && (context.line.review.commit || context.settings.flag("documents.commit_on_accept"));
}

Result<documents::Verdicts> read_verdicts(const Context& context, ReviewDesk& review, bool accept) {
  const ReviewArguments& given = context.line.review;
  if (given.all != given.words.empty())
    return fail(ErrorKind::invalid, given.all ? "--all and ids do not go together" : "which changes?",
                "give their ids (holdfast review list), or --all, which --path and --author can narrow", "usage");
  documents::Verdicts verdicts;
  HF_TRY(verdicts.filter, review.filter());
  if (given.all)
    verdicts.all = accept;
  else
    (accept ? verdicts.accept : verdicts.reject) = given.words;
  verdicts.commit = commits(context, accept);
  return verdicts;
}

// What one person decides one after another.
class Walk {
 public:
  Walk(const Context& context, ReviewDesk& review) : context_(context), review_(review), asker_(review.reviewer()) {}

  Result<void> over(const std::vector<PendingChange>& changes) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
      print(fmt::format("\n{} {}", context_.terminal.soft(fmt::format("{}/{}", i + 1, changes.size())),
                        change_text(changes[i], context_.clock->now(), context_.terminal)));
      HF_TRY(const bool go_on, ask(changes[i]));
      if (!go_on) break;
    }
    print(fmt::format("\naccepted {}, rejected or resolved {}, left {}\n", accepted_, rejected_,
                      changes.size() - accepted_ - rejected_));
    return {};
  }

 private:
  // False: enough for today.
  Result<bool> ask(const PendingChange& change) {
    // A comment or a highlight is no change: it can only be taken out.
    const bool remark = change.kind == "comment" || change.kind == "highlight";
    for (;;) {
      print_note(remark ? "resolve, skip or quit? [r/S/q] " : "accept, reject, comment, skip or quit? [a/r/c/S/q] ");
      const std::string answer = to_ascii_lower(read_answer());
      if (answer.empty() || answer == "s" || answer == "skip") return true;
      if (answer == "q" || answer == "quit") return false;
      if (answer == "r" || answer == (remark ? "resolve" : "reject")) return decide(change, false);
      if (remark) continue;
      if (answer == "a" || answer == "accept") return decide(change, true);
      if (answer == "c" || answer == "comment") comment(change);
    }
  }

  // What fails is said, and the walk goes on: the next change may be all right.
  Result<bool> decide(const PendingChange& change, bool accept) {
    documents::Verdicts verdicts;
    (accept ? verdicts.accept : verdicts.reject) = {change.id};
    verdicts.commit = commits(context_, accept);
    auto report = review_.desk().decide(asker_, verdicts);
    if (!report) {
      print_error(report.error(), false);
      return true;
    }
    (accept ? accepted_ : rejected_) += report->applied.size();
    print(report_text(*report, accept, context_.terminal));
    return true;
  }

  void comment(const PendingChange& change) {
    print_note("comment: ");
    const std::string note = read_answer(kLongestComment);
    if (note.empty()) return;
    auto commented = review_.desk().comment(asker_, change.id, note);
    if (!commented) print_error(commented.error(), false);
  }

  const Context& context_;
  ReviewDesk& review_;
  documents::Asker asker_;
  std::size_t accepted_ = 0, rejected_ = 0;
};

}  // namespace

Result<void> decide_changes(Context& context, bool accept) {
  HF_TRY(auto review, ReviewDesk::open(context));
  HF_TRY(const documents::Verdicts verdicts, read_verdicts(context, *review, accept));
  HF_TRY(const VerdictReport report, review->desk().decide(review->reviewer(), verdicts));
  if (context.line.json)
    print_json(report_json(report));
  else
    print(report_text(report, accept, context.terminal));
  if (report.failed.empty()) return {};
  return fail(ErrorKind::conflict,
              fmt::format("{} of {} could not be decided", report.failed.size(), report.failed.size() + report.applied.size()),
              "holdfast review list shows what is pending now", "partly_done");
}

Result<void> review_one_by_one(Context& context) {
  if (context.line.json || context.terminal.width == 0 || !somebody_is_there()) return list_changes(context);
  HF_TRY(auto review, ReviewDesk::open(context));
  HF_TRY(const auto changes, review->desk().changes({}, {}));
  if (changes.empty()) {
    print("no pending changes\n");
    return {};
  }
  return Walk(context, *review).over(changes);
}

}  // namespace holdfast::cli
