#include "base/ids.h"
#include "base/run/log.h"
#include "kinds/documents/files/document_file.h"
#include "kinds/documents/files/path_name.h"
#include "kinds/documents/files/step_disk.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::documents {
namespace {

using End = JournaledOperation::End;

constexpr std::size_t kOperationIdCharacters = 16;

// One operation, from its line in the journal to its end.
class Attempt {
 public:
  Attempt(Library& library, const std::vector<FileStep>& steps, const JournalNote& note,
          const std::function<Result<void>()>& first)
      : library_(library), disk_(library), steps_(steps), first_(first) {
    operation_.id = "o_" + random_base62(kOperationIdCharacters);
    operation_.time = SystemClock().now();
    operation_.note = note;
  }

  Result<Applied> run() {
    HF_CHECK(prepare());
    // Before the journal's line: from there on whoever comes behind a crash may finish the operation, and what `first` keeps has
    // to be there then.
    if (first_) HF_CHECK(first_());
    HF_TRY(OperationAtWork work, OperationAtWork::begin(library_, operation_));
    applied_.states.resize(steps_.size());
    auto done = perform(work);
    // A single step cannot be half done: who finds it without its end can only see that it happened. Several could be taken back
    // by somebody who finds them with one changed since, so this has to be on the disk before the answer.
    if (done && order_.size() > 1) done = work.end(End::committed, true);
    if (!done) return fail(take_back(work, std::move(done).error()));
    bool clean = true;
    for (const JournaledStep& step : operation_.steps) clean = disk_.remove_temporaries(step) && clean;
    if (const auto ended = clean ? work.end(End::done, false) : Result<void>(); !ended)
      log(LogLevel::warn, "documents", fmt::format("{}: {}", operation_.id, ended.error().message));
    return report();
  }

 private:
  Result<void> prepare() {
    if (steps_.empty()) return fail(ErrorKind::invalid, "an operation without steps");
    for (const bool renames : {false, true})
      for (std::size_t i = 0; i < steps_.size(); ++i)
        if ((steps_[i].kind == FileStep::Kind::rename) == renames) order_.push_back(i);
    for (const std::size_t i : order_) {
      JournaledStep journaled;
      journaled.temporary = fmt::format("{}{}-{}", kTemporaryPrefix, operation_.id, i);
      HF_CHECK(disk_.prepare(steps_[i], journaled));
      operation_.steps.push_back(std::move(journaled));
    }
    know_by_version();
    return {};
  }

  // A document that is rewritten and moved is another file by the time it moves: its bytes tell that it is the one.
  void know_by_version() {
    for (JournaledStep& moved : operation_.steps) {
      if (moved.kind != FileStep::Kind::rename) continue;
      const auto rewritten = std::ranges::find_if(operation_.steps, [&](const JournaledStep& step) {
        return step.kind == FileStep::Kind::replace && step.key == moved.key;
      });
      if (rewritten == operation_.steps.end()) continue;
      moved.inode = 0;
      moved.before = rewritten->before;
      moved.after = rewritten->after;
    }
  }

  Result<void> perform(OperationAtWork& work) {
    for (std::size_t at = 0; at < order_.size(); ++at)
      HF_CHECK(disk_.stage(steps_[order_[at]], operation_.steps[at], operation_, applied_.states[order_[at]]));
    HF_CHECK(disk_.sync_staged());
    HF_CHECK(work.await_sync());
    for (; published_ < order_.size(); ++published_) HF_CHECK(disk_.publish(operation_.steps[published_]));
    return disk_.sync(operation_.steps);
  }

  Error take_back(OperationAtWork& work, Error why) {
    bool all = true;
    while (published_ > 0) {
      if (const auto back = disk_.retract(operation_.steps[--published_]); !back) {
        log(LogLevel::error, "documents", fmt::format("{} cannot be taken back now: {}", operation_.id, back.error().message));
        all = false;
      }
    }
    // What is not taken back stays open in the journal: recovery has another try, with the temporary files.
    if (!all) return why;
    for (const JournaledStep& step : operation_.steps) disk_.discard(step);
    auto ended = disk_.sync(operation_.steps);
    if (ended) ended = work.end(End::undone, true);
    if (!ended) log(LogLevel::warn, "documents", fmt::format("{}: {}", operation_.id, ended.error().message));
    return why;
  }

  Result<Applied> report() {
    applied_.journal = operation_.id;
    for (std::size_t at = 0; at < order_.size(); ++at) {
      const JournaledStep& step = operation_.steps[at];
      if (!step.trash.empty()) applied_.trash.push_back(step.trash);
      if (step.kind != FileStep::Kind::rename) continue;
      const auto spot = open_spot(library_, step.to);
      if (const auto status = spot ? look_at(*spot) : std::nullopt) stamp(applied_.states[order_[at]], *status);
    }
    return std::move(applied_);
  }

  Library& library_;
  StepDisk disk_;
  const std::vector<FileStep>& steps_;
  const std::function<Result<void>()>& first_;
  std::vector<std::size_t> order_;  // in which they are done: renames last
  JournaledOperation operation_;
  Applied applied_;
  std::size_t published_ = 0;
};

}  // namespace

Result<Applied> apply_steps(Library& library, const std::vector<FileStep>& steps, const JournalNote& note,
                            const std::function<Result<void>()>& first) {
  return Attempt(library, steps, note, first).run();
}

}  // namespace holdfast::documents
