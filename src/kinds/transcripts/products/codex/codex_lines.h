#pragma once

// A Codex rollout on its way into a copy (transcript-archive §12): the session's own id in its first session_meta, cwd of every
// record by the path map, and not one other byte.
//
// Stands between a reader and another receiver, which must outlive it. One thread, one file.

#include "jsonl/splice.h"
#include "kinds/transcripts/lines/pieces.h"
#include "kinds/transcripts/rewrite/path_map.h"

namespace holdfast::transcripts {

class CodexLines final : public Receiver {
 public:
  // Equal ids: only paths change, and a missing newline at the end stays missing.
  CodexLines(Receiver& to, std::string old_id, std::string new_id, PathMap paths);
  CodexLines(const CodexLines&) = delete;
  CodexLines& operator=(const CodexLines&) = delete;

  Result<void> begin(const Artifact& artifact) override;
  Result<void> line(const Piece& piece) override;
  Result<void> bytes(std::string_view bytes) override;
  Result<void> end() override;

  std::uint64_t lines() const { return lines_; }
  std::uint64_t edited_lines() const { return edited_lines_; }
  std::uint64_t ids() const { return ids_; }
  std::uint64_t paths() const { return translated_; }

 private:
  bool is_own_meta(std::string_view line);
  void decide(jsonl::StringSite& site);

  Receiver& to_;
  const std::string old_id_, new_id_;
  const PathMap paths_;
  jsonl::Scanner scanner_;
  jsonl::Splicer splicer_;
  std::string spliced_;
  bool seen_meta_ = false, in_meta_ = false, complete_ = true;
  std::uint64_t lines_ = 0, edited_lines_ = 0, ids_ = 0, translated_ = 0;
};

}  // namespace holdfast::transcripts
