#pragma once

// The sessions of the store as something that can be searched line by line: what a full-text index of words cannot answer (parts
// of words, code, words that must not occur) is found by reading them.
//
// A line is an entry, numbered by its seq; before the first stands the record itself (title, description, tags) as line 0.

#include "search/index/passages.h"
#include "session/store.h"

namespace holdfast::session {

// By the type of an entry alone; what a message's author was, its data says.
search::PassageRole role_of_entry(std::string_view type);

class StoreSources final : public search::PassageSources {
 public:
  // The conditions say which sessions: kinds, roots, principal; limit, order and cursor are set here. The store outlives this.
  StoreSources(Store& store, Query conditions) : store_(store), conditions_(std::move(conditions)) {}

  Result<search::SourceList> list() override;
  // Offsets are numbers of entries: [0, 1) is the record.
  Result<Position> read(const search::Source& source, Position from, std::uint64_t to,
                        const std::function<bool(const search::Passage&)>& take) override;

 private:
  Store& store_;
  Query conditions_;
};

}  // namespace holdfast::session
