#pragma once

// Transcripts that may fit a filter, from all their places, in the order of a list. Used by list.cpp alone.

#include "catalogue/list.h"
#include "kinds/transcripts/home/running.h"

#include <limits>

namespace holdfast::catalogue {

inline constexpr std::int64_t kLastTime = std::numeric_limits<std::int64_t>::max();

// What the order compares.
struct ListKey {
  std::int64_t value = 0;
  std::string id;
};
// As the store has it: the earliest due first, otherwise the newest.
bool comes_before(session::Sort sort, const ListKey& a, const ListKey& b);
bool name_fits(const std::string& wanted, const std::string& root_name);

class ListedTranscripts {
 public:
  // False when none can: of somebody else, or asked for what transcripts do not have.
  static bool may_fit(const Asker& asker, const Filter& filter);
  // All outlives it. Reads the ends of those of which the filter, the order or the total asks what only these say.
  static Result<ListedTranscripts> gather(const Asker& asker, const Filter& filter);

  const std::vector<Error>& unread() const { return unread_; }
  std::int64_t total() const { return static_cast<std::int64_t>(candidates_.size()); }
  void go_behind(const ListKey& place);
  bool over() const { return at_ == candidates_.size(); }
  const ListKey& key() const { return candidates_[at_].key; }
  void advance() { ++at_; }
  // nullopt: gone meanwhile, or it does not fit.
  std::optional<Listed> read();

 private:
  struct Candidate {
    Found found;
    ListKey key;
    bool by_line = false;  // only its records say whether it lies under the root
    bool left_out = false;
    std::optional<Listed> listed;
  };
  ListedTranscripts(const Asker& asker, const Filter& filter) : asker_(&asker), filter_(&filter) {}

  transcripts::KeptLines& kept_lines() { return asker_->kept ? *asker_->kept : *unremembered_; }
  Result<void> find_trees();
  bool lies_in_tree(const std::string& project_folder) const;
  Result<void> add_all();
  void add(Found found);
  void read_where_needed();
  std::optional<Listed> read(const Candidate& candidate);
  bool fits(const Candidate& candidate, const Listed& listed) const;

  const Asker* asker_;
  const Filter* filter_;
  std::unique_ptr<transcripts::KeptLines> unremembered_;
  std::optional<transcripts::Activity> activity_;
  std::vector<std::string> trees_, roots_;  // of the roots that are asked for: working trees; all as roots
  std::vector<Candidate> candidates_;
  std::vector<Error> unread_;
  std::size_t at_ = 0;
};

}  // namespace holdfast::catalogue
