#include "kinds/transcripts/reading/transcript_reading.h"

#include "base/crypto/hash.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "kinds/transcripts/lines/branches.h"
#include "kinds/transcripts/reading/record_reader.h"
#include "kinds/transcripts/reading/session_info.h"
#include "reading/html/visible_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>

namespace holdfast::transcripts {

namespace {

// Subagents by the id of the call that began them, and by agent_key of their own.
using SubagentMap = std::map<std::string, reading::Subagent, std::less<>>;

constexpr std::size_t kForkWords = 80;

std::size_t size_of(const reading::Part& part) {
  std::size_t size = part.text.text.size() + 64;
  if (part.result) size += part.result->output.text.size() + part.result->patch.size();
  for (const auto& [key, value] : part.arguments)
    if (value.is_string()) size += value.get_string().size();
  for (const reading::Image& image : part.images) size += image.base64.size();
  return size;
}

// "workflows/wf_1/agent-a9" and "a9" are one.
std::string agent_key(std::string_view agent) {
  if (const std::size_t slash = agent.rfind('/'); slash != std::string_view::npos) agent.remove_prefix(slash + 1);
  constexpr std::string_view kPrefix = "agent-";
  if (agent.starts_with(kPrefix)) agent.remove_prefix(kPrefix.size());
  return "agent " + std::string(agent);
}

// From lines to the turns of one window. Internal to transcript_reading.cpp.
//
// A window is named by lines and goes by places: where a line is read (branches.h).
class WindowMaker {
 public:
  // A result is looked for within so many places behind its call: parallel calls are few. Results that come later stand alone.
  static constexpr std::uint32_t kResultReach = 64;
  static constexpr std::size_t kMostForks = 8;  // offered at one place

  // branch nullptr: every line. All must outlive it.
  WindowMaker(const reading::ByteSource& source, const LineIndex& index, const LineOrder& order, const Branch* branch,
              const SubagentMap& subagents, const reading::WindowQuery& query)
      : index_(index),
        order_(order),
        branch_(branch),
        subagents_(subagents),
        query_(query),
        records_(source, index.product(), !index.has_events()) {}

  Result<reading::Window> make() {
    const std::uint32_t size = index_.size();
    const bool backward = query_.before != 0;
    const std::uint32_t end =
        backward && query_.before <= size ? order_.place(static_cast<std::uint32_t>(query_.before - 1)) : size;
    begin_ = backward ? start_before(end) : first_place();
    std::uint32_t place = begin_;
    for (; place < end; ++place) {
      const std::uint32_t line = order_.line(place);
      if (!is_shown(line)) continue;
      HF_TRY(const bool taken, take(line));
      if (!taken) break;
    }
    if (place < size) HF_CHECK(look_ahead(place));
    // The next window begins with a line of this way: one of another would open that.
    while (place < size && !is_shown(order_.line(place))) ++place;
    if (place < size) window_.next = order_.line(place) + 1;
    if (begin_ > 0 && begins_turn(order_.line(start_before(begin_)))) window_.previous = order_.line(begin_) + 1;
    window_.last_line = size;
    return std::move(window_);
  }

 private:
  struct Call {
    std::size_t turn, part;
  };
  bool is_shown(std::uint32_t line) const {
    const IndexedLine found = index_.at(line);
    if (found.kind == LineKind::blank || found.kind == LineKind::side) return false;
    return !branch_ || branch_->has(line);
  }
  bool begins_turn(std::uint32_t line) const { return is_shown(line) && index_.at(line).kind != LineKind::tool_result; }
  // A link to a result leads to the call it answers.
  std::uint32_t first_place() const {
    if (query_.from == 0 || index_.size() == 0) return 0;
    auto line = static_cast<std::uint32_t>(std::min<std::uint64_t>(query_.from - 1, index_.size() - 1));
    std::uint32_t place = order_.place(line);
    while (index_.at(line).kind == LineKind::tool_result && index_.parent(line) < index_.size()) {
      line = index_.parent(line);
      const std::uint32_t above = order_.place(line);
      if (above >= place || place - above > kResultReach) break;
      place = above;
    }
    return place;
  }
  // the place where a window begins that ends there
  std::uint32_t start_before(std::uint32_t end) const {
    std::size_t turns = 0;
    std::uint32_t start = end;
    for (std::uint32_t place = end; place-- > 0 && turns < query_.turns;)
      if (begins_turn(order_.line(place))) {
        start = place;
        ++turns;
      }
    return turns == 0 ? 0 : start;
  }
  // false: the window is full, and the line begins the next
  Result<bool> take(std::uint32_t line) {
    HF_TRY(auto records, records_.read(index_.at(line), line + 1, query_.limits));
    for (RecordParts& record : records) {
      if (!record.shown) continue;
      for (LooseResult& loose : record.results) take_result(line, std::move(loose), record.turn);
      if (record.turn.parts.empty()) continue;
      const bool same = !record.message_id.empty() && record.message_id == message_id_ && !window_.turns.empty() &&
                        window_.turns.back().role == record.turn.role;
      if (!same) {
        // Results that came with it are attached: nothing is lost when the window ends before this turn, they are taken again.
        if (is_full()) return false;
        window_.turns.push_back(std::move(record.turn));
        message_id_ = std::move(record.message_id);
      } else {
        reading::Turn& turn = window_.turns.back();
        turn.error = turn.error || record.turn.error;
        for (reading::Part& part : record.turn.parts) turn.parts.push_back(std::move(part));
      }
      reading::Turn& turn = window_.turns.back();
      for (std::size_t i = 0; i < turn.parts.size(); ++i) {
        reading::Part& part = turn.parts[i];
        if (part.line != line + 1) continue;
        bytes_ += size_of(part);
        if (part.kind != reading::Part::Kind::tool_call || part.result) continue;
        if (const auto agent = subagents_.find(part.id); agent != subagents_.end()) part.subagent = agent->second;
        if (!part.id.empty()) calls_[part.id] = {window_.turns.size() - 1, i};
      }
    }
    if (!window_.turns.empty()) HF_CHECK(add_forks(line, window_.turns.back()));
    return true;
  }
  void take_result(std::uint32_t line, LooseResult loose, const reading::Turn& head) {
    if (const auto call = calls_.find(loose.call_id); call != calls_.end()) {
      attach(call->second, std::move(loose));
      calls_.erase(call);
      return;
    }
    // Shown with its call in the window before.
    const std::uint32_t parent = index_.parent(line);
    if (parent < index_.size() && order_.place(parent) < begin_ && order_.place(line) - begin_ < kResultReach) return;
    reading::Turn turn = head;
    turn.parts.clear();
    turn.role = reading::Role::other;
    reading::Part& part = turn.parts.emplace_back();
    part.kind = reading::Part::Kind::tool_result;
    part.line = line + 1;
    part.id = loose.call_id;
    part.result = std::move(loose.result);
    bytes_ += size_of(part);
    window_.turns.push_back(std::move(turn));
    message_id_.clear();
  }
  void attach(const Call& call, LooseResult loose) {
    reading::Part& part = window_.turns[call.turn].parts[call.part];
    part.result = std::move(loose.result);
    if (!part.subagent && !loose.agent_id.empty())
      if (const auto agent = subagents_.find(agent_key(loose.agent_id)); agent != subagents_.end()) part.subagent = agent->second;
    bytes_ += size_of(part);
  }
  Result<void> look_ahead(std::uint32_t place) {
    const std::uint32_t end = std::min(index_.size(), place + kResultReach);
    for (; place < end && !calls_.empty(); ++place) {
      const std::uint32_t line = order_.line(place);
      if (index_.at(line).kind != LineKind::tool_result || !is_shown(line)) continue;
      HF_TRY(auto records, records_.read(index_.at(line), line + 1, query_.limits));
      for (RecordParts& record : records)
        for (LooseResult& loose : record.results)
          if (const auto call = calls_.find(loose.call_id); call != calls_.end()) {
            attach(call->second, std::move(loose));
            calls_.erase(call);
          }
    }
    return {};
  }
  Result<void> add_forks(std::uint32_t line, reading::Turn& turn) {
    if (!branch_) return {};
    const auto add = [&](const std::vector<std::uint32_t>& forks) -> Result<void> {
      for (const std::uint32_t other : forks) {
        if (turn.forks.size() >= kMostForks) break;
        reading::ReadLimits limits;
        limits.text_bytes = kForkWords * 4;
        HF_TRY(const auto records, records_.read(index_.at(other), other + 1, limits));
        reading::Fork fork;
        fork.line = other + 1;
        if (!records.empty() && !records.front().turn.parts.empty())
          fork.words = reading::visible_line(records.front().turn.parts.front().text.text, kForkWords);
        turn.forks.push_back(std::move(fork));
      }
      return {};
    };
    HF_CHECK(add(branch_->forks(line)));
    // Ways that begin anew are offered where this one begins.
    const bool root = index_.at(line).chained && !index_.at(line).sidechain && index_.parent(line) == LineIndex::kNone;
    if (root && !branch_->forks(LineIndex::kNone).empty() && index_.at(line).kind == LineKind::prompt)
      HF_CHECK(add(branch_->forks(LineIndex::kNone)));
    return {};
  }
  bool is_full() const {
    return window_.turns.size() >= query_.turns || bytes_ >= std::max(reading::kWindowBytes, query_.limits.text_bytes);
  }

  const LineIndex& index_;
  const LineOrder& order_;
  const Branch* branch_;
  const SubagentMap& subagents_;
  const reading::WindowQuery query_;
  IndexedRecordReader records_;
  std::uint32_t begin_ = 0;  // a place
  reading::Window window_;
  std::string message_id_;                          // of the last turn
  std::map<std::string, Call, std::less<>> calls_;  // without a result
  std::size_t bytes_ = 0;
};

using reading::Subagent;

constexpr std::string_view kAgents = "subagents/";
constexpr std::string_view kAgentEnding = ".jsonl", kMetaEnding = ".meta.json";
constexpr std::size_t kMetaBytes = 64 * 1024;  // a few names and a path
constexpr std::size_t kMostSubagents = 2000;   // their sidecars are read when a session is opened
constexpr std::size_t kImageBytes = 16 * 1024 * 1024;

Result<std::string> small_text(const reading::ByteSource& source) {
  std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(source.size, kMetaBytes)), '\0');
  HF_TRY(const std::size_t got, source.read(0, text));
  text.resize(got);
  return text;
}

// What is opened, and the transcript's name for the cache.
struct ReadingPlace {
  std::shared_ptr<SessionSource> source;
  std::string name;
  ReadingCache* cache = nullptr;

  // Of what lies in the session's own folder.
  Result<reading::ByteSource> file(std::string_view path) const {
    if (!source->session().claude()) return fail(ErrorKind::not_found, "this session has no folder");
    return source->open(fmt::format("{}/{}", source->session().claude()->place.folder(), path));
  }
};

// By the call that began them.
Result<SubagentMap> read_subagents(const ReadingPlace& place, std::vector<Subagent>& all) {
  SubagentMap by_call;
  if (!place.source->session().claude()) return by_call;
  const std::string folder = place.source->session().claude()->place.folder() + "/subagents";
  HF_TRY(const auto paths, place.source->below(folder));
  for (const std::string& path : paths) {
    if (!path.ends_with(kAgentEnding) || path.ends_with("journal.jsonl") || all.size() >= kMostSubagents) continue;
    Subagent agent;
    agent.id = path.substr(folder.size() + 1, path.size() - folder.size() - 1 - kAgentEnding.size());
    std::string call;
    // Without its sidecar it is still there to be read.
    if (const auto meta = place.file(fmt::format("{}{}{}", kAgents, agent.id, kMetaEnding)))
      if (const auto text = small_text(*meta))
        if (const auto parsed = parse_json(*text); parsed && parsed->is_object()) {
          const JsonObject& fields = parsed->get_object();
          agent.type = find_string(fields, "agentType").value_or("");
          agent.description = find_string(fields, "description").value_or("");
          call = find_string(fields, "toolUseId").value_or("");
        }
    if (!call.empty()) by_call[call] = agent;
    by_call[agent_key(agent.id)] = agent;
    all.push_back(std::move(agent));
  }
  return by_call;
}

class TranscriptReading final : public reading::Reading {
 public:
  TranscriptReading(ReadingPlace place, reading::Heading heading, ReadingOptions options, reading::ByteSource source,
                    bool is_subagent)
      : place_(std::move(place)),
        heading_(std::move(heading)),
        options_(options),
        source_(std::move(source)),
        is_subagent_(is_subagent) {}

  Result<void> open() {
    // Subagents have no subagents of their own: all depths lie side by side.
    if (!is_subagent_) {
      HF_TRY(subagents_, read_subagents(place_, heading_.subagents));
    }
    shared_ = place_.cache ? place_.cache->at(place_.name, product_) : std::make_shared<CachedIndex>(product_);
    auto updated = update();
    if (updated || updated.error().kind != ErrorKind::conflict || !place_.cache) return updated;
    // Another file stands there now.
    shared_ = place_.cache->anew(place_.name, product_);
    return update();
  }

  const reading::Heading& heading() const override { return heading_; }

  Result<reading::Window> window(const reading::WindowQuery& query) override {
    const std::lock_guard lock(shared_->mutex);
    std::optional<std::uint64_t> other;
    const Branch* branch = chosen_branch(query.from, other);
    WindowMaker maker(source_, shared_->index, shared_->order, branch, subagents_, query);
    HF_TRY(reading::Window window, maker.make());
    window.branch = other;
    return window;
  }

  Result<reading::ImageBytes> image(std::string_view reference) override {
    std::uint64_t line = 0;
    const auto [end, error] = std::from_chars(reference.data(), reference.data() + reference.size(), line);
    const auto not_there = [&] {
      return fail(ErrorKind::not_found, fmt::format("there is no image {} in this session", reference));
    };
    const std::lock_guard lock(shared_->mutex);
    if (error != std::errc() || line == 0 || line > shared_->index.size()) return not_there();
    IndexedRecordReader reader(source_, product_, true);
    reading::ReadLimits limits;
    limits.text_bytes = 1;
    limits.image_bytes = kImageBytes;
    HF_TRY(const auto records, reader.read(shared_->index.at(static_cast<std::uint32_t>(line - 1)), line, limits));
    for (const RecordParts& record : records) {
      for (const reading::Part& part : record.turn.parts)
        if (const auto* found = find_image(part.images, reference)) return decoded(*found);
      for (const LooseResult& loose : record.results)
        if (const auto* found = find_image(loose.result.images, reference)) return decoded(*found);
    }
    return not_there();
  }

  Result<reading::ByteSource> whole_record(std::uint64_t line) override {
    const std::lock_guard lock(shared_->mutex);
    if (line == 0 || line > shared_->index.size()) return reading::Reading::whole_record(line);
    const IndexedLine found = shared_->index.at(static_cast<std::uint32_t>(line - 1));
    reading::ByteSource record;
    record.size = found.end - found.offset;
    record.incarnation = source_.incarnation;
    record.read = [read = source_.read, found](std::uint64_t offset, std::span<char> to) -> Result<std::size_t> {
      const std::uint64_t rest = found.end - std::min(found.end, found.offset + offset);
      return read(found.offset + offset, to.first(static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), rest))));
    };
    return record;
  }

  Result<reading::ByteSource> saved_file(std::string_view reference) override {
    if (!reference.starts_with("tool-results/")) return reading::Reading::saved_file(reference);
    return place_.file(reference);
  }

  Result<std::unique_ptr<reading::Reading>> subagent(std::string_view id) override {
    const auto found = std::ranges::find(heading_.subagents, id, &Subagent::id);
    if (found == heading_.subagents.end()) return reading::Reading::subagent(id);
    HF_TRY(auto source, place_.file(fmt::format("{}{}{}", kAgents, id, kAgentEnding)));
    ReadingPlace place = place_;
    place.name = fmt::format("{} {}", place_.name, id);
    reading::Heading heading;
    heading.id = heading_.id;
    heading.kind = heading_.kind;
    heading.title = found->description.empty() ? found->id : found->description;
    heading.project = heading_.project;
    heading.details = {{"subagent", found->id}, {"type", found->type}};
    auto made =
        std::make_unique<TranscriptReading>(std::move(place), std::move(heading), ReadingOptions(), std::move(source), true);
    HF_CHECK(made->open());
    return made;
  }

 private:
  static const reading::Image* find_image(const std::vector<reading::Image>& images, std::string_view reference) {
    const auto found = std::ranges::find(images, reference, &reading::Image::reference);
    return found == images.end() ? nullptr : &*found;
  }

  static Result<reading::ImageBytes> decoded(const reading::Image& image) {
    if (!reading::is_shown_image(image.media_type))
      return fail(ErrorKind::invalid,
                  fmt::format("{} is not an image that is shown here", reading::visible_line(image.media_type, 60)));
    if (image.base64.empty()) return fail(ErrorKind::too_large, fmt::format("the image has more than {} bytes", kImageBytes));
    HF_TRY(std::string bytes, from_base64(image.base64));
    return reading::ImageBytes{image.media_type, std::move(bytes)};
  }

  Result<void> update() {
    const std::lock_guard lock(shared_->mutex);
    if (!shared_->incarnation.empty() && shared_->incarnation != source_.incarnation)
      return fail(ErrorKind::conflict, "the transcript was replaced");
    shared_->incarnation = source_.incarnation;
    HF_CHECK(shared_->index.update(source_));
    if (shared_->ordered_bytes == shared_->index.bytes()) return {};
    shared_->order = LineOrder::of(shared_->index);
    shared_->resumed.reset();
    shared_->ordered_bytes = shared_->index.bytes();
    return {};
  }

  // Whether a line that looks like a message can be read as one: the index looks at its shape alone. Of the lock's holder.
  bool is_readable(std::uint32_t line) {
    const IndexedLine found = shared_->index.at(line);
    if (found.end - found.offset > kWholeLineBytes) return true;  // not worth reading twice before the first window is shown
    IndexedRecordReader reader(source_, product_, true);
    reading::ReadLimits limits;
    limits.text_bytes = 1;
    const auto records = reader.read(found, line + 1, limits);
    return records && std::ranges::any_of(*records, [](const RecordParts& record) { return !record.turn.damaged; });
  }

  const Branch& resumed() {
    if (!shared_->resumed)
      shared_->resumed = Branch::of(shared_->index, shared_->order, {}, [this](std::uint32_t line) { return is_readable(line); });
    return *shared_->resumed;
  }

  // nullptr: every line. `other`: a line, from 1, when it is not the one a client would resume. Of the lock's holder.
  const Branch* chosen_branch(std::uint64_t from, std::optional<std::uint64_t>& other) {
    const LineIndex& index = shared_->index;
    if (options_.all_branches || is_subagent_ || product_ == LineIndex::Product::codex) return nullptr;
    const Branch& current = resumed();
    const auto is_line = [&](std::uint64_t line) { return line > 0 && line <= index.size(); };
    const auto has = [&](const Branch& branch, std::uint64_t line) { return branch.has(static_cast<std::uint32_t>(line - 1)); };
    std::uint64_t through = options_.branch && is_line(*options_.branch) ? *options_.branch : 0;
    if (through != 0 && (!branch_ || through_ != through)) open_branch(through);
    const Branch& chosen = through != 0 ? *branch_ : current;
    if (is_line(from) && !has(chosen, from)) {
      if (has(current, from)) return &current;
      through = from;
      if (through_ != through) open_branch(through);
    }
    if (through == 0 || branch_->leaf() == current.leaf()) return &current;
    other = through;
    return &*branch_;
  }

  void open_branch(std::uint64_t through) {
    branch_ = Branch::of(shared_->index, shared_->order, static_cast<std::uint32_t>(through - 1));
    through_ = through;
  }

  const ReadingPlace place_;
  const LineIndex::Product product_ = place_.source->product();
  reading::Heading heading_;
  const ReadingOptions options_;
  const reading::ByteSource source_;
  const bool is_subagent_;
  SubagentMap subagents_;
  std::shared_ptr<CachedIndex> shared_;
  std::optional<Branch> branch_;  // through this line, from 1
  std::uint64_t through_ = 0;
};

}  // namespace

reading::Heading heading_of(const SessionLine& line) {
  reading::Heading heading;
  heading.id = line.session.id();
  heading.kind = "transcript";
  heading.title = line.title;
  heading.project = line.project_path;
  heading.first_time = line.first_time;
  heading.last_time = line.last_time;
  heading.resume_command = resume_command(line);
  heading.details.emplace_back("product", fmt::format("{} {}", line.session.product(), line.version));
  if (!line.git_branch.empty()) heading.details.emplace_back("git branch", line.git_branch);
  return heading;
}

Result<std::unique_ptr<reading::Reading>> open_transcript(std::shared_ptr<SessionSource> source, const ReadingOptions& options,
                                                          ReadingCache* cache) {
  HF_TRY(const SessionLine line, source->line());
  reading::Heading heading = heading_of(line);
  if (!source->on_disk()) {
    heading.resume_command = restore_command(line.session);
    HF_TRY(auto remarks, source->remarks());
    for (auto& remark : remarks) heading.details.push_back(std::move(remark));
  }
  HF_TRY(auto bytes, source->open(source->session().path()));
  ReadingPlace place{source, source->name(), cache};
  auto made = std::make_unique<TranscriptReading>(std::move(place), std::move(heading), options, std::move(bytes), false);
  HF_CHECK(made->open());
  return made;
}

}  // namespace holdfast::transcripts
