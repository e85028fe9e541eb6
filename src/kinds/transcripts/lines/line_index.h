#pragma once

// Where the lines of a transcript are, what they are, and how they hang together; made in one pass, without keeping text.
//
// Twenty bytes a line: 10^6 records take some 20 MB, and a 200 MB file a tenth of a second. A file that has grown is read from
// where the last pass ended; its last line, when it has no newline yet, is looked at again next time.
//
// One thread at a time; a shared one is only read (transcript_reading.h). A long file is read by two, so its source is read by
// two threads at once.

#include "base/crypto/byte_hash.h"
#include "base/result.h"
#include "jsonl/scan.h"
#include "reading/reading.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

enum class LineKind : std::uint8_t {
  blank,
  broken,       // not JSON: torn, NUL, too deep
  unknown,      // JSON of a type we do not know
  side,         // beside the conversation: titles, modes, snapshots
  prompt,       // what a person said, or the client in a person's place
  tool_result,  // what a tool said
  answer,       // what the model said
  attachment,   // what the client told the model
  system,
  compaction  // compact_boundary, compacted
};

struct IndexedLine {
  std::uint64_t offset = 0, end = 0;  // the newline is not part of it, when there is one
  LineKind kind = LineKind::blank;
  bool sidechain = false;
  bool meta = false;     // isMeta, or the summary of a compaction
  bool chained = false;  // has a uuid
};

// Longer lines are looked into in pieces (jsonl/pull.h): the structure of a line may take four times its size.
inline constexpr std::size_t kIndexedLineBytes = 4 * 1024 * 1024;

class LineIndex {
 public:
  enum class Product { claude, codex };
  explicit LineIndex(Product product) : product_(product) {}

  // Looks at what the source has beyond what is known. One that is shorter than that, or that begins or goes on otherwise, is not
  // the one that was read before: conflict. After another error what was read stays.
  Result<void> update(const reading::ByteSource& source);

  Product product() const { return product_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(places_.size()); }
  IndexedLine at(std::uint32_t line) const;  // from 0
  std::uint64_t bytes() const { return read_to_; }

  static constexpr std::uint32_t kNone = UINT32_MAX;         // parentUuid is null
  static constexpr std::uint32_t kMissing = UINT32_MAX - 1;  // or names nobody
  // Where a uuid occurs twice: the last line before this one, else the first behind it.
  std::uint32_t parent(std::uint32_t line) const { return parents_[line]; }
  // The newest line with this uuid. Looks at all of them.
  std::optional<std::uint32_t> find(std::string_view uuid) const { return find_id(id_of(uuid)); }
  // What logicalParentUuid of a compaction names, found as parents are.
  std::optional<std::uint32_t> logical_parent(std::uint32_t line) const;
  // What leafUuid of the last last-prompt names; nullopt: there is none, or it names nobody.
  std::optional<std::uint32_t> leaf() const;
  // Codex: whether there are events that say what messages repeat.
  bool has_events() const { return has_events_; }

 private:
  struct Found;
  // The same hashes as the other's.
  explicit LineIndex(const LineIndex& other, std::uint64_t begin)
      : product_(other.product_), hash_(other.hash_), read_to_(begin) {}
  Result<void> read_part(const reading::ByteSource& source, std::uint64_t part_end);
  Result<void> read_in_two(const reading::ByteSource& source);
  void append(const LineIndex& next);
  // A link of a line to another that is not among the lines just before it, or not there.
  struct Waiting {
    std::uint32_t line;
    std::uint64_t id;
    bool logical;  // logicalParentUuid
  };
  void add_link(std::uint32_t line, std::uint64_t id, bool logical);
  void set_link(const Waiting& link, std::uint32_t to);
  std::uint32_t near_line(std::uint32_t line, std::uint64_t id) const;
  std::optional<std::uint32_t> nearest_line(const Waiting& link, std::uint32_t from) const;
  void add(std::uint64_t offset, std::string_view text);
  Result<void> add_long(const reading::ByteSource& source, std::uint64_t offset, std::uint64_t end);
  void add_fields(std::uint64_t offset, std::span<const jsonl::Token> fields, bool parsed);
  void add_codex(std::uint64_t offset, std::string_view text);
  void put(std::uint64_t offset, const IndexedLine& line, std::uint64_t id, std::uint64_t parent);
  void drop_last();
  void resolve();
  Result<std::uint64_t> stamp(const reading::ByteSource& source) const;
  std::uint64_t id_of(std::string_view text) const;
  std::uint64_t id_of(const jsonl::Token& token) const;
  std::optional<std::uint32_t> find_id(std::uint64_t id) const;

  const Product product_;
  ByteHash hash_{ByteHash::random_seed()};
  jsonl::Scanner scanner_;
  std::deque<std::uint64_t> places_;  // offset, kind, flags
  std::deque<std::uint64_t> ids_;     // 0: none
  std::deque<std::uint32_t> parents_;
  std::vector<Waiting> waiting_;
  std::uint32_t resolved_ = 0;  // lines before have been looked for among each other
  std::map<std::uint32_t, std::uint32_t> logical_parents_;
  std::uint64_t leaf_id_ = 0;
  std::uint64_t read_to_ = 0;
  std::uint64_t stamp_ = 0;    // of the bytes at the beginning and before read_to_
  bool last_is_open_ = false;  // the last line has no newline yet
  bool has_events_ = false;
};

}  // namespace holdfast::transcripts
