#include "store/sqlite/lists/catalogue_columns.h"

#include <algorithm>

namespace holdfast::store {

namespace {

std::string labelled(LabelSort sort, std::string_view word) {
  return std::string(1, static_cast<char>(sort)).append(word);
}

// Below this nobody minds.
constexpr std::size_t kSmallWaste = 64 * 1024;

}  // namespace

Label CatalogueColumns::label(LabelSort sort, std::string_view word) {
  return labels_.try_emplace(labelled(sort, word), static_cast<Label>(labels_.size())).first->second;
}

std::optional<Label> CatalogueColumns::find_label(LabelSort sort, std::string_view word) const {
  const auto found = labels_.find(labelled(sort, word));
  if (found == labels_.end()) return std::nullopt;
  return found->second;
}

std::optional<Slot> CatalogueColumns::slot_of(std::int64_t key) const {
  const auto at = std::ranges::lower_bound(keys_, key);
  if (at == keys_.end() || *at != key) return std::nullopt;
  return static_cast<Slot>(at - keys_.begin());
}

bool CatalogueColumns::put(const CatalogueRow& row) {
  std::optional<Slot> slot = slot_of(row.key);
  if (!slot) {
    if (!keys_.empty() && row.key < keys_.back()) return false;
    slot = static_cast<Slot>(keys_.size());
    keys_.push_back(row.key);
    for (auto* column : {&updated_at_, &created_at_, &due_key_}) column->push_back(0);
    for (auto* column : {&id_spans_, &label_spans_, &text_spans_}) column->push_back({});
    buckets_.push_back(kNowhere);
  }
  buckets_[*slot] = static_cast<std::uint32_t>(row.bucket);
  updated_at_[*slot] = row.updated_at;
  created_at_[*slot] = row.created_at;
  due_key_[*slot] = row.due_key;
  put_id(*slot, row.id);
  put_labels(*slot, row.labels);
  put_text(*slot, row.text);
  return true;
}

void CatalogueColumns::put_id(Slot slot, std::string_view id) {
  if (this->id(slot) == id) return;
  waste_ += id_spans_[slot].size;
  id_spans_[slot] = {static_cast<std::uint32_t>(ids_.size()), static_cast<std::uint32_t>(id.size())};
  ids_ += id;
}

void CatalogueColumns::put_labels(Slot slot, const std::vector<Label>& labels) {
  if (std::ranges::equal(this->labels(slot), labels)) return;
  waste_ += label_spans_[slot].size * sizeof(Label);
  label_spans_[slot] = {static_cast<std::uint32_t>(label_lists_.size()), static_cast<std::uint32_t>(labels.size())};
  label_lists_.insert(label_lists_.end(), labels.begin(), labels.end());
}

void CatalogueColumns::put_text(Slot slot, std::string_view text) {
  if (!has_texts_ || this->text(slot) == text) return;
  blank_text(slot);
  const std::size_t at = texts_.size() - Substring::kReadBehind;
  if (at + text.size() > kMaxCatalogueText) return drop_texts();
  text_spans_[slot] = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(text.size())};
  text_slots_.push_back(slot);
  text_starts_.push_back(static_cast<std::uint32_t>(at));
  texts_.resize(at);
  texts_.append(text).append(Substring::kReadBehind, '\0');
}

// Text that was erased is not kept, not even here.
void CatalogueColumns::blank_text(Slot slot) {
  Span& span = text_spans_[slot];
  std::fill_n(texts_.begin() + span.at, span.size, '\0');
  waste_ += span.size;
  span = {};
}

void CatalogueColumns::drop_texts() {
  has_texts_ = false;
  texts_ = {};
  text_slots_ = {};
  text_starts_ = {};
  text_spans_.assign(text_spans_.size(), {});
}

void CatalogueColumns::reserve(std::size_t sessions) {
  for (auto* column : {&keys_, &updated_at_, &created_at_, &due_key_}) column->reserve(sessions);
  for (auto* column : {&id_spans_, &label_spans_, &text_spans_}) column->reserve(sessions);
  for (auto* column : {&buckets_, &text_slots_, &text_starts_}) column->reserve(sessions);
}

void CatalogueColumns::shrink() {
  ids_.shrink_to_fit();
  label_lists_.shrink_to_fit();
  texts_.shrink_to_fit();
}

void CatalogueColumns::remove(std::int64_t key) {
  const auto slot = slot_of(key);
  if (!slot) return;
  waste_ += id_spans_[*slot].size + label_spans_[*slot].size * sizeof(Label);
  buckets_[*slot] = kNowhere;
  id_spans_[*slot] = label_spans_[*slot] = {};
  blank_text(*slot);
}

void CatalogueColumns::keep_with_text(const Substring& needle, std::vector<Slot>& slots) const {
  // Each by itself costs a wait for memory and the beginning of a search: some eight times its share of one pass.
  constexpr std::size_t kFew = 8;
  if (slots.size() < size() / kFew) {
    std::erase_if(slots, [&](Slot slot) { return needle.find(text(slot), 0) == std::string_view::npos; });
  } else {
    const std::vector<char> found = with_text(needle);
    std::erase_if(slots, [&](Slot slot) { return found[slot] == 0; });
  }
}

// Of every slot, in one pass over all texts.
std::vector<char> CatalogueColumns::with_text(const Substring& needle) const {
  std::vector<char> found(size(), 0);
  const std::string_view all = std::string_view(texts_).substr(0, texts_.size() - Substring::kReadBehind);
  auto start = text_starts_.begin();
  for (std::size_t at = needle.find(all, 0); at != std::string_view::npos;) {
    while (start != text_starts_.end() && *start <= at) ++start;  // of the next one
    const std::size_t next = start == text_starts_.end() ? all.size() : *start;
    if (at + needle.size() > next) {
      at = needle.find(all, at + 1);  // it begins in one text and ends in another
      continue;
    }
    const Slot slot = text_slots_[static_cast<std::size_t>(start - text_starts_.begin()) - 1];
    const bool replaced = text_spans_[slot].at != *(start - 1);
    if (!replaced) found[slot] = 1;
    at = needle.find(all, next);
  }
  return found;
}

bool CatalogueColumns::mostly_waste() const {
  const std::size_t bytes = ids_.size() + label_lists_.size() * sizeof(Label) + texts_.size();
  return waste_ > kSmallWaste && waste_ > bytes / 2;
}

std::vector<std::int64_t> CatalogueColumns::keys_of(const std::set<std::string, std::less<>>& ids) const {
  std::vector<std::int64_t> found;
  if (ids.empty()) return found;
  for (Slot slot = 0; slot < size(); ++slot) {
    if (ids.contains(id(slot))) found.push_back(keys_[slot]);
  }
  return found;
}

}  // namespace holdfast::store
