#include "kinds/transcripts/reading/transcript_reading.h"

#include "base/crypto/hash.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "kinds/transcripts/reading/record_reader.h"
#include "kinds/transcripts/reading/session_info.h"
#include "kinds/transcripts/reading/window_maker.h"
#include "reading/html/visible_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::transcripts {
namespace {

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
