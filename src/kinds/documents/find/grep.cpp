#include "kinds/documents/find/grep.h"

#include "base/run/parallel.h"
#include "kinds/documents/files/path_name.h"
#include "kinds/documents/files/walk.h"
#include "kinds/documents/find/glob.h"
#include "kinds/documents/find/grep_text.h"
#include "kinds/documents/text/view_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

namespace holdfast::documents {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

// What a client still shows to a model (document-review §5 `read`).
constexpr std::size_t kMaxAnswerBytes = 60'000;
constexpr std::size_t kMaxContext = 10'000;  // lines; more is reading
constexpr std::size_t kMostEntries = 1'000'000'000;

struct FileResult {
  ViewReader::Outcome outcome = ViewReader::Outcome::text;
  GrepHits hits;
};

// Puts the results of files into the order of their paths, whenever they come, and stops when the answer is full.
class Answer {
 public:
  Answer(const GrepRequest& request, GrepMode mode, const std::vector<WalkedFile>& files)
      : files_(files),
        mode_(mode),
        groups_(request.context_asked),
        skip_(request.offset),
        limit_(request.head_limit == 0 ? kMostEntries : request.head_limit) {}

  // False when nothing more is needed. Any thread.
  bool add(std::size_t file, FileResult result) {
    std::lock_guard lock(mutex_);
    waiting_.emplace(file, std::move(result));
    while (!full_ && !waiting_.empty() && waiting_.begin()->first == next_) {
      take(files_[next_++].place.path, waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
    }
    return !full_;
  }

  std::size_t files_done() const { return next_; }
  bool is_complete() const { return full_ || next_ == files_.size(); }

  std::string text() && {
    if (shown_ == 0 && skipped_entries_ == 0)
      text_ += "No matches found.\n";
    else if (shown_ == 0)
      text_ +=
          fmt::format("No more matches: there are {} {}.\n", skipped_entries_, mode_ == GrepMode::content ? "lines" : "files");
    if (full_)
      text_ += fmt::format("\n[{} {} shown; continue with offset {}]\n", shown_, mode_ == GrepMode::content ? "lines" : "files",
                           skipped_entries_ + shown_);
    const auto skipped = [&](std::size_t count, std::string_view what) {
      if (count > 0) text_ += fmt::format("\n[skipped: {} {} {}]\n", count, count == 1 ? "file that is" : "files that are", what);
    };
    skipped(not_text_, "not text");
    skipped(too_large_, fmt::format("larger than {} MB", kMaxSearchedBytes >> 20));
    text_.pop_back();
    return std::move(text_);
  }

 private:
  void take(std::string_view path, const FileResult& result) {
    not_text_ += result.outcome == ViewReader::Outcome::not_text;
    too_large_ += result.outcome == ViewReader::Outcome::too_large;
    if (result.hits.count == 0) return;
    if (mode_ == GrepMode::files) return show(fmt::format("{}\n", path), false);
    if (mode_ == GrepMode::count) return show(fmt::format("{}:{}\n", path, result.hits.count), false);
    std::size_t begin = 0;
    for (const ShownLine& line : result.hits.shown) {
      show(std::string_view(result.hits.lines).substr(begin, line.end - begin), line.begins_group);
      begin = line.end;
    }
  }

  void show(std::string_view entry, bool begins_group) {
    if (skipped_entries_ < skip_) {
      ++skipped_entries_;
      return;
    }
    // The first entry is shown however long it is, so that there is a way on.
    full_ = full_ || shown_ >= limit_ || (shown_ > 0 && text_.size() + entry.size() > kMaxAnswerBytes);
    if (full_) return;
    if (groups_ && begins_group && shown_ > 0) text_ += "--\n";
    text_ += entry;
    ++shown_;
  }

  const std::vector<WalkedFile>& files_;
  const GrepMode mode_;
  const bool groups_;
  const std::size_t skip_, limit_;
  std::mutex mutex_;
  std::map<std::size_t, FileResult> waiting_;
  std::size_t next_ = 0, skipped_entries_ = 0, shown_ = 0, not_text_ = 0, too_large_ = 0;
  bool full_ = false;
  std::string text_;
};

std::unexpected<Error> bad_search(std::string message, std::string hint) {
  return fail(ErrorKind::invalid, std::move(message), std::move(hint), "bad_argument");
}

struct Plan {
  GrepMode mode = GrepMode::files;
  View view = View::accepted;
  GrepTextOptions text;
};

Result<Plan> plan_of(const GrepRequest& request) {
  Plan plan;
  if (request.output_mode == "content")
    plan.mode = GrepMode::content;
  else if (request.output_mode == "count")
    plan.mode = GrepMode::count;
  else if (request.output_mode != "files_with_matches")
    return bad_search(fmt::format("output_mode \"{}\" is not known", request.output_mode),
                      "Use files_with_matches, content or count.");
  if (request.view == "base")
    plan.view = View::base;
  else if (request.view == "raw")
    plan.view = View::raw;
  else if (request.view != "accepted")
    return bad_search(fmt::format("view \"{}\" is not known", request.view), "Use accepted, base or raw.");
  if (request.before < 0 || request.after < 0) return bad_search("a number of context lines is negative", "Use 0 or more.");
  plan.text.mode = plan.mode;
  plan.text.before = std::min(static_cast<std::size_t>(request.before), kMaxContext);
  plan.text.after = std::min(static_cast<std::size_t>(request.after), kMaxContext);
  const std::size_t limit = request.head_limit == 0 ? kMostEntries : std::min(request.head_limit, kMostEntries);
  plan.text.max_lines = std::min(request.offset, kMostEntries) + limit + 1;  // one more tells that there is more
  return plan;
}

// With `path`, the glob is matched against the part below it, as glob does; a glob without '/' against the name alone, at any
// depth, as models are used to.
Result<void> keep_matching(std::vector<WalkedFile>& files, const GrepRequest& request, const Place& top) {
  if (request.glob.empty()) return {};
  HF_TRY(const GlobPattern pattern, GlobPattern::compile(request.glob));
  const bool by_name = request.glob.find('/') == std::string::npos;
  std::erase_if(files, [&](const WalkedFile& file) {
    std::string_view path = file.place.path;
    if (by_name || !top.is_folder)
      path = name_of_path(path);
    else if (!top.path.empty())
      path.remove_prefix(top.path.size() + 1);
    return !pattern.matches(path);
  });
  return {};
}

std::unexpected<Error> too_late(const GrepRequest& request, std::string_view how_far) {
  return fail(ErrorKind::timeout, fmt::format("grep took longer than {} ms: {}", request.deadline.count(), how_far),
              "Narrow it with path or glob, or search for something more specific.");
}

}  // namespace

Result<std::string> grep(Library& library, const Overlay& overlay, const GrepRequest& request) {
  const SteadyTime end = std::chrono::steady_clock::now() + request.deadline;
  HF_TRY(Plan plan, plan_of(request));
  const PatternOptions options{request.ignore_case, request.multiline};
  HF_TRY(const LinePattern checked, LinePattern::compile(request.pattern, options));

  const auto is_late = [&] { return std::chrono::steady_clock::now() >= end; };
  const auto given_up = [&] { return request.cancelled && request.cancelled(); };
  WalkOptions walking;
  walking.below = request.path;
  walking.cancelled = [&] { return given_up() || is_late(); };
  walking.stamps = false;
  auto walked = walk(library, walking);
  if (!walked && walked.error().kind == ErrorKind::cancelled && !given_up())
    return too_late(request, "the files were not even listed");
  if (!walked) return fail(std::move(walked).error());
  std::vector<WalkedFile> files = *std::move(walked);
  if (!request.glob.empty()) {
    Place top;
    top.is_folder = true;
    if (!request.path.empty()) {
      HF_TRY(top, library.find(request.path));
    }
    HF_CHECK(keep_matching(files, request, top));
  }

  std::atomic<bool> late{false};
  plan.text.go_on = [&] { return !(late = late || is_late()); };
  Answer answer(request, plan.mode, files);
  const auto make_worker = [&]() -> Worker {
    // A program of its own: threads that share one wait for each other at its states.
    auto pattern = std::make_shared<LinePattern>(LinePattern::compile(request.pattern, options).value());
    auto reader = std::make_shared<ViewReader>(library, overlay);
    return [&, pattern, reader](std::size_t item) {
      if (!plan.text.go_on()) return false;
      const Place& place = files[item].place;
      FileResult result;
      result.outcome = reader->read(place, plan.view);
      if (result.outcome == ViewReader::Outcome::text) {
        GrepTextOptions text = plan.text;
        text.has_carriage_returns = reader->has_carriage_return();
        result.hits = grep_text(reader->text(), *pattern, place.path, text);
      }
      return !late && answer.add(item, std::move(result));
    };
  };
  if (!work_in_parallel(files.size(), threads_for_files(files.size()), "documents", make_worker, [&] { return !given_up(); }))
    return fail(ErrorKind::cancelled, "grep was stopped");
  if (!answer.is_complete())
    return too_late(request, fmt::format("{} of {} files were searched", answer.files_done(), files.size()));
  return std::move(answer).text();
}

}  // namespace holdfast::documents
