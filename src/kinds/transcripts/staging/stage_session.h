#pragma once

// A session on its way into a Staging: every file to its new place, through a Rewriter where one is given.
//
// What clone, restore and move have in common. Called by one thread, whatever threads rewriting has; lives for one reading of one
// session.

#include "jsonl/scan.h"
#include "kinds/transcripts/home/inventory.h"
#include "kinds/transcripts/lines/hash_beside.h"
#include "kinds/transcripts/lines/pieces.h"
#include "kinds/transcripts/rewrite/rewrite_lines.h"
#include "kinds/transcripts/staging/staging.h"
#include "kinds/transcripts/staging/write_back.h"
#include "kinds/transcripts/verbs/copy_result.h"

#include <functional>

namespace holdfast::transcripts {

// What is rewritten as a whole is held in memory. An archive does not always say how large a file is: one that turns out to be
// larger than this is nothing the client writes there, and is copied as it is.
inline constexpr std::size_t kMaxRewrittenWhole = 16 * 1024 * 1024;

class StageSession final : public Receiver {
 public:
  struct Options {
    Staging* staging = nullptr;    // none: everything is done but the writing (dry run)
    Rewriter* rewriter = nullptr;  // none: byte for byte
    // Where a file goes; nullopt: nowhere.
    std::function<std::optional<std::string>(const Artifact&)> place;
    // Of a file that goes nowhere because it is there already: must its bytes be the same? Then it is compared with this one.
    std::function<Result<std::optional<Fd>>(const Artifact&)> compare_with;
    bool private_modes = false;  // 0600, whatever the artifact says
    bool hashes = false;         // for verify() and check_there()
  };
  explicit StageSession(Options options);

  Result<void> begin(const Artifact& artifact) override;
  bool judges_lines() const override { return way_ != Way::copy; }
  Result<void> line(const Piece& piece) override;
  Result<void> bytes(std::string_view bytes) override;
  Result<void> end() override;

  // Reads the staged files again and compares their hashes. Errors: corrupt.
  Result<void> verify() const;
  // Of files that are in place already: that they are what would have been written. Errors: conflict.
  Result<void> check_there(const Home& home) const;

  struct Counts {
    KindCounts files;
    std::uint64_t main_records = 0, agent_records = 0, bytes = 0;
    std::vector<std::string> agent_files;  // new paths below the home
    std::vector<std::string> warnings;
    std::string custom_title;  // the last one a person gave, as it was in the original
  };
  const Counts& counts() const { return counts_; }

 private:
  enum class Way { skip, copy, lines, whole, compare };
  Result<Way> way_of(const Artifact& artifact);
  Result<void> write_if_large();
  Result<void> flush();
  Result<void> rewrite_whole();
  void look_for_title(std::string_view record);
  void count_records(std::uint64_t records);
  void count_opaque(const Piece& piece);
  void warn_of_opaque();
  Result<void> compare(std::string_view bytes);
  Result<void> compare_end();
  std::unexpected<Error> differs() const;

  Options options_;
  std::optional<RewriteLines> lines_;  // with a rewriter
  Artifact artifact_;
  std::string path_;  // the new one
  Way way_ = Way::skip;
  int out_ = -1;
  std::string buffer_;  // what is to be written
  std::string whole_;   // what is to be rewritten
  Fd other_;            // what is to be compared
  std::uint64_t written_ = 0;
  WriteBack write_back_;
  std::uint64_t records_before_ = 0, opaque_before_ = 0;  // rewritten in the files before
  std::uint64_t opaque_ = 0;                              // lines of this file that are no records, and not blank
  bool in_long_line_ = false;
  jsonl::Scanner scanner_;
  HashBeside hash_;
  std::vector<std::pair<std::string, Digest>> hashes_;
  Counts counts_;
};

// What a result says about the files, from what the stage has seen.
void describe_copy(CopyResult& result, const Home& home, const SessionPlace& place, const Identity& identity,
                   const StageSession::Counts& counts, const RewriteCounts& rewritten);

}  // namespace holdfast::transcripts
