#pragma once

// What lists filter and sort by, of every session, column by column in memory: the data of a Catalogue (catalogue.h), which says
// who may touch it.
//
// Slots are in the order of the sessions' keys. Labels are numbers for "has this root", "has this tag" and so on, so that a
// condition on any of them is a look into a small table. Texts, ids and labels lie one behind the other; what is replaced stays
// there as waste until everything is made anew.

#include "base/run/clock.h"
#include "store/sqlite/lists/substring.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace holdfast::store {

using Label = std::uint32_t;
using Slot = std::uint32_t;

enum class LabelSort : char { root = 'r', tag = 't', project = 'p', task = 'k', aspect = 'a' };

// Texts beyond this are not kept, and then only the database can compare them: 600,000 sessions of the usual 100 bytes.
inline constexpr std::size_t kMaxCatalogueText = 64 * 1024 * 1024;

struct CatalogueRow {
  std::int64_t key = 0;
  std::string id;
  std::int64_t bucket = 0;
  std::int64_t updated_at = 0;
  std::int64_t created_at = 0;
  std::int64_t due_key = 0;
  std::vector<Label> labels;
  std::string text;  // case-folded
};

class CatalogueColumns {
 public:
  Label label(LabelSort sort, std::string_view word);
  std::optional<Label> find_label(LabelSort sort, std::string_view word) const;  // nullopt: no session has it
  std::size_t label_count() const { return labels_.size(); }

  // The same session again, or one with a higher key than all others; false for anything else.
  bool put(const CatalogueRow& row);
  void remove(std::int64_t key);

  void reserve(std::size_t sessions);
  void shrink();  // gives back what was reserved too much

  Slot size() const { return static_cast<Slot>(keys_.size()); }  // removed ones included
  bool has_texts() const { return has_texts_; }
  bool mostly_waste() const;
  std::vector<std::int64_t> keys_of(const std::set<std::string, std::less<>>& ids) const;

  std::int64_t key(Slot slot) const { return keys_[slot]; }
  std::string_view id(Slot slot) const { return std::string_view(ids_).substr(id_spans_[slot].at, id_spans_[slot].size); }
  // kNowhere: the session was removed.
  static constexpr std::uint32_t kNowhere = 0;
  std::span<const std::uint32_t> buckets() const { return buckets_; }
  std::span<const std::int64_t> updated_at() const { return updated_at_; }
  std::span<const std::int64_t> created_at() const { return created_at_; }
  std::span<const std::int64_t> due_key() const { return due_key_; }
  std::span<const Label> labels(Slot slot) const {
    return std::span(label_lists_).subspan(label_spans_[slot].at, label_spans_[slot].size);
  }
  // Leaves only those whose text has the needle.
  void keep_with_text(const Substring& needle, std::vector<Slot>& slots) const;

 private:
  struct Span {
    std::uint32_t at = 0;
    std::uint32_t size = 0;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const { return std::hash<std::string_view>()(word); }
  };

  std::optional<Slot> slot_of(std::int64_t key) const;
  void put_id(Slot slot, std::string_view id);
  void put_labels(Slot slot, const std::vector<Label>& labels);
  void put_text(Slot slot, std::string_view text);
  std::string_view text(Slot slot) const { return std::string_view(texts_).substr(text_spans_[slot].at, text_spans_[slot].size); }
  void blank_text(Slot slot);
  void drop_texts();
  std::vector<char> with_text(const Substring& needle) const;

  std::vector<std::int64_t> keys_;
  std::vector<std::uint32_t> buckets_;
  std::vector<std::int64_t> updated_at_;
  std::vector<std::int64_t> created_at_;
  std::vector<std::int64_t> due_key_;
  std::vector<Span> id_spans_;
  std::vector<Span> label_spans_;
  std::vector<Span> text_spans_;

  std::string ids_;
  std::vector<Label> label_lists_;
  std::string texts_ = std::string(Substring::kReadBehind, '\0');  // readable beyond the last one
  std::vector<Slot> text_slots_;                                   // of texts_ in its order, those replaced included
  std::vector<std::uint32_t> text_starts_;
  bool has_texts_ = true;
  std::size_t waste_ = 0;  // bytes that no slot uses any more
  std::unordered_map<std::string, Label, Hash, std::equal_to<>> labels_;
};

}  // namespace holdfast::store
