#include "kinds/transcripts/archive/archive_delivery.h"

#include <fmt/format.h>

namespace holdfast::transcripts {
namespace {

bool is_transcript(ArtifactKind kind) {
  return is_line_file(kind) && kind != ArtifactKind::workflow_journal;
}

}  // namespace

Delivery::Delivery(Receiver& receiver, const SessionPlace& place, const ArchiveBlock* block, const ArchiveLimits& limits)
    : receiver_(receiver),
      place_(place),
      block_(block),
      max_entries_(limits.max_entries),
      cutter_(
          [this](std::string_view text, std::string_view ending, bool overlong) { return give_line(text, ending, overlong); }) {}

Result<bool> Delivery::begin(const std::string& path, Way way) {
  if (const auto given = given_.find(path); given != given_.end()) {
    if (given->second == Way::block && way == Way::field) {
      given->second = Way::field;
      return false;
    }
    return fail(ErrorKind::corrupt, "the archive holds a file twice: " + path);
  }
  if (given_.size() == max_entries_)
    return fail(ErrorKind::too_large, fmt::format("the archive has more than {} files", max_entries_));
  artifact_ = Artifact{};
  artifact_.path = path;
  expected_ = nullptr;
  irregular_ = nullptr;
  ending_ = "\n";
  if (block_) {
    const auto found = block_->by_path.find(path);
    if (found == block_->by_path.end())
      return fail(ErrorKind::corrupt, "the archive holds a file that its list does not name: " + path);
    expected_ = &block_->files[found->second];
    artifact_ = expected_->artifact;
    if (const auto lines = block_->irregular.find(path); lines != block_->irregular.end()) irregular_ = &lines->second;
    if (block_->crlf.contains(path)) ending_ = "\r\n";
  } else {
    const auto kind = kind_of_path(path, place_);
    if (!kind) return fail(ErrorKind::corrupt, "the archive names a path that is no part of its session: " + path);
    artifact_.kind = *kind;
  }
  given_.emplace(path, way);
  by_records_ = way == Way::field && is_transcript(artifact_.kind);
  next_irregular_ = 0;
  line_ = 1;
  bytes_ = records_ = 0;
  HF_CHECK(receiver_.begin(artifact_));
  return true;
}

Result<void> Delivery::record(std::string_view text) {
  HF_CHECK(irregular_lines());
  ++line_;
  return give({text, ending_, true, false});
}

Result<void> Delivery::bytes(std::string_view bytes) {
  if (is_line_file(artifact_.kind)) return cutter_.add(bytes);
  hash_.add(bytes);
  bytes_ += bytes.size();
  return receiver_.bytes(bytes);
}

Result<void> Delivery::give_line(std::string_view text, std::string_view ending, bool overlong) {
  const bool record = !overlong && scanner_.shape(text).is_record();
  return give({text, ending, record, overlong});
}

Result<void> Delivery::give(const Receiver::Piece& piece) {
  hash_.add(piece.text);
  hash_.add(piece.ending);
  bytes_ += piece.text.size() + piece.ending.size();
  if (piece.record && !piece.ending.empty()) ++records_;
  return receiver_.line(piece);
}

Result<void> Delivery::irregular_lines() {
  if (!irregular_) return {};
  for (; next_irregular_ < irregular_->size() && (*irregular_)[next_irregular_].line == line_; ++next_irregular_, ++line_) {
    const std::string_view bytes = (*irregular_)[next_irregular_].bytes;
    std::size_t ending = 0;
    if (bytes.ends_with('\n')) ending = bytes.ends_with("\r\n") ? 2 : 1;
    const std::string_view text = bytes.substr(0, bytes.size() - ending);
    HF_CHECK(give_line(text, ending > 0 ? bytes.substr(text.size()) : ending_, false));
    ++counts_.irregular_lines;
  }
  return {};
}

Result<void> Delivery::end_of_records() {
  HF_CHECK(irregular_lines());
  if (irregular_ && next_irregular_ < irregular_->size())
    return fail(ErrorKind::corrupt,
                fmt::format("{} has no line {} that the archive describes", artifact_.path, (*irregular_)[next_irregular_].line));
  if (!block_) return {};
  const auto tail = block_->tail.find(artifact_.path);
  if (tail == block_->tail.end()) return {};
  ++counts_.irregular_lines;
  return give_line(tail->second, {}, false);
}

Result<void> Delivery::end() {
  if (by_records_)
    HF_CHECK(end_of_records());
  else if (is_line_file(artifact_.kind))
    HF_CHECK(cutter_.finish());
  const std::string sha256 = to_hex(hash_.finish());
  if (expected_ && (sha256 != expected_->sha256 || bytes_ != expected_->artifact.size))
    return fail(ErrorKind::corrupt, artifact_.path + " is not what was archived: its hash or size differs");
  if (artifact_.kind == ArtifactKind::main_transcript) counts_.main_records += records_;
  if (artifact_.kind == ArtifactKind::flat_agent || artifact_.kind == ArtifactKind::nested_agent)
    counts_.agent_records += records_;
  ++counts_.files;
  counts_.per_file.push_back({artifact_.path, is_transcript(artifact_.kind) ? records_ : 0, bytes_, sha256});
  return receiver_.end();
}

Result<void> Delivery::finish() {
  if (!block_) return {};
  for (const ArchiveBlock::File& file : block_->files) {
    if (given_.contains(file.artifact.path)) continue;
    if (file.artifact.size > 0) return fail(ErrorKind::corrupt, "the archive does not hold " + file.artifact.path);
    HF_CHECK(begin(file.artifact.path, Way::block));
    HF_CHECK(end());
  }
  return {};
}

}  // namespace holdfast::transcripts
