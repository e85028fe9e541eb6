#include "kinds/transcripts/rewrite/rewrite_lines.h"

#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace holdfast::transcripts {
namespace {

// Large enough that handing one over does not show, small enough for the caches.
constexpr std::size_t kBatchBytes = 256 * 1024;
// More would wait for the one thread that reads and writes: it is half as busy as these two.
constexpr std::size_t kThreads = 2;
// One being filled, one for each thread, and as many waiting so that nobody waits for a batch to be made.
constexpr std::size_t kBatches = 2 * kThreads + 1;
// A line above this is not copied into a batch.
constexpr std::size_t kMaxBatchedLine = kBatchBytes;

}  // namespace

struct RewriteLines::Batch {
  struct Line {
    std::size_t text, ending;
  };

  void add(std::string_view line, std::string_view ending) {
    bytes += line;
    bytes += ending;
    lines.push_back({line.size(), ending.size()});
  }
  bool full() const { return bytes.size() >= kBatchBytes; }
  void clear() {
    bytes.clear();
    lines.clear();
    out.clear();
    failure.reset();
    done = false;
  }

  // Appended to `to`.
  Result<void> rewrite(Rewriter& rewriter, std::string& to) const {
    std::string_view rest = bytes;
    for (const Line& line : lines) {
      const std::string_view text = rest.substr(0, line.text), ending = rest.substr(line.text, line.ending);
      HF_CHECK(rewriter.line(text, ending, false, to));
      rest.remove_prefix(line.text + line.ending);
    }
    return {};
  }

  std::string bytes;  // the lines, one behind the other
  std::vector<Line> lines;
  Artifact artifact;
  std::string out;
  RewriteCounts counts;
  std::optional<Error> failure;
  bool done = false;  // guarded by the mutex of the threads
};

struct RewriteLines::State {
  explicit State(Rewriter& of_caller) : rewriter(of_caller) {}

  Batch& current() { return batches[filled % kBatches]; }

  // The batch being filled, to the threads; the next one is free then.
  Result<void> share(std::string& out) {
    if (threads.empty() && !start()) return give_all(out);
    current().artifact = artifact;
    {
      const std::lock_guard lock(mutex);
      ++filled;
    }
    changed.notify_all();
    return filled - given == kBatches ? give_next(out) : Result<void>{};
  }

  // False when there are no threads to be had: then the caller's does it all.
  bool start() {
    try {
      while (threads.size() < kThreads)
        threads.emplace_back([this, own = rewriter.twin()](const std::stop_token& stop) mutable { work(stop, own); });
    } catch (const std::system_error&) {
      return !threads.empty();
    }
    return true;
  }

  void work(const std::stop_token& stop, Rewriter& own) {
    for (;;) {
      Batch* batch = nullptr;
      {
        std::unique_lock lock(mutex);
        if (!changed.wait(lock, stop, [this] { return taken < filled; })) return;
        batch = &batches[taken++ % kBatches];
      }
      rewrite(*batch, own);
      {
        const std::lock_guard lock(mutex);
        batch->done = true;
      }
      changed.notify_all();
    }
  }

  // An exception must not leave the thread; what a batch can throw is that there is no memory.
  static void rewrite(Batch& batch, Rewriter& own) {
    try {
      own.begin(batch.artifact);
      if (auto done = batch.rewrite(own, batch.out); !done) batch.failure = std::move(done).error();
      batch.counts = own.take_counts();
    } catch (const std::exception& thrown) {
      batch.failure = fail(ErrorKind::unavailable, std::string("rewriting lines: ") + thrown.what()).error();
    }
  }

  // What the oldest batch of the threads became.
  Result<void> give_next(std::string& out) {
    Batch& batch = batches[given % kBatches];
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return batch.done; });
    }
    ++given;
    if (batch.failure) return fail(*std::move(batch.failure));
    if (out.empty())
      out.swap(batch.out);
    else
      out += batch.out;
    rewriter.add_counts(std::move(batch.counts));
    batch.clear();
    return {};
  }

  // Everything there is. The calling thread takes the last batch, so that its rewriter knows how the file ends.
  Result<void> give_all(std::string& out) {
    while (given < filled) HF_CHECK(give_next(out));
    HF_CHECK(current().rewrite(rewriter, out));
    current().clear();
    return {};
  }

  Rewriter& rewriter;
  Artifact artifact;
  std::array<Batch, kBatches> batches;  // number n in n % kBatches
  std::size_t given = 0;                // numbers below are free again; of the calling thread
  std::size_t filled = 0;               // written by the calling thread alone, guarded by mutex for the others
  std::size_t taken = 0;                // by threads; guarded by mutex
  std::mutex mutex;
  std::condition_variable_any changed;
  std::vector<std::jthread> threads;  // last: they stop before anything they use goes
};

RewriteLines::RewriteLines(Rewriter& rewriter) : state_(std::make_unique<State>(rewriter)) {}
RewriteLines::RewriteLines(RewriteLines&&) noexcept = default;
RewriteLines::~RewriteLines() = default;

void RewriteLines::begin(const Artifact& artifact) {
  state_->artifact = artifact;
  state_->rewriter.begin(artifact);
}

Result<void> RewriteLines::line(std::string_view text, std::string_view ending, bool overlong, std::string& out) {
  State& state = *state_;
  if (overlong || text.size() > kMaxBatchedLine || state.rewriter.looks_back()) {
    HF_CHECK(state.give_all(out));
    return state.rewriter.line(text, ending, overlong, out);
  }
  // Not before there is another line: the last batch of a file stays with this thread.
  if (state.current().full()) HF_CHECK(state.share(out));
  state.current().add(text, ending);
  return {};
}

Result<void> RewriteLines::end(std::string& out) {
  HF_CHECK(state_->give_all(out));
  return state_->rewriter.end(out);
}

}  // namespace holdfast::transcripts
