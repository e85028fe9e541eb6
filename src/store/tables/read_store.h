#pragma once

// The reading half of a store, over whatever gives it the tables of one moment. Backend has
//
//   read(function)       function(Reads&) sees one moment
//   read_one(function)   the same for what one statement answers, or where a later moment of the next one does no harm
//
// both answering what the function answers.

#include "session/store.h"
#include "store/tables/reads.h"

namespace holdfast::store {

template <class Backend>
class ReadStore : public session::Store {
 public:
  Result<session::SessionRecord> get(std::string_view id) final {
    return backend().read_one([&](Reads& reads) { return reads.get(id); });
  }
  Result<session::Page> list(const session::Query& query) final {
    return backend().read([&](Reads& reads) { return reads.list(query); });
  }
  Result<std::vector<std::string>> ids_with_prefix(const session::IdQuery& query) final {
    return backend().read_one([&](Reads& reads) { return reads.ids_with_prefix(query); });
  }
  Result<std::optional<session::Tombstone>> tombstone(std::string_view id) final {
    return backend().read_one([&](Reads& reads) { return reads.tombstone(id); });
  }
  Result<session::EntryPage> entries(const session::EntryQuery& query) final {
    return backend().read([&](Reads& reads) { return reads.entries(query); });
  }
  Result<std::optional<session::Entry>> entry(std::string_view session, std::int64_t seq) final {
    return backend().read([&](Reads& reads) { return reads.entry(session, seq); });
  }
  Result<std::optional<session::Entry>> entry_at(std::string_view session, std::string_view lane, std::int64_t number) final {
    return backend().read([&](Reads& reads) { return reads.entry_at(session, lane, number); });
  }
  Result<std::optional<session::Entry>> entry_with_key(std::string_view session, std::string_view key) final {
    return backend().read([&](Reads& reads) { return reads.entry_with_key(session, key); });
  }
  Result<std::vector<session::LineageEvent>> lineage_of(std::string_view session) final {
    return backend().read_one([&](Reads& reads) { return reads.lineage_of(session); });
  }
  Result<std::vector<session::LineageEvent>> lineage_tree(std::string_view session) final {
    return backend().read([&](Reads& reads) { return reads.lineage_tree(session); });
  }
  Result<std::optional<session::KeyedValue>> value(std::string_view space, std::string_view key) final {
    return backend().read_one([&](Reads& reads) { return reads.value(space, key); });
  }
  Result<std::vector<session::KeyedValue>> values(const session::ValueQuery& query) final {
    return backend().read_one([&](Reads& reads) { return reads.values(query); });
  }
  Result<std::optional<session::Lease>> lease(std::string_view name) final {
    return backend().read_one([&](Reads& reads) { return reads.lease(name); });
  }

 private:
  friend Backend;
  ReadStore() = default;
  Backend& backend() { return static_cast<Backend&>(*this); }
};

}  // namespace holdfast::store
