#pragma once

// What was found so far, and whether that is enough: the order, the limits, and the limit per session. One thread.

#include "search/index/passage_match.h"
#include "search/index/text_index.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::search {

struct FoundPassage {
  const Source* source = nullptr;
  std::uint64_t line = 0, line_begin = 0, line_end = 0;
  PassageRole role = PassageRole::user;
  Millis time = 0;
  PassageMatch match;
  std::vector<std::string> attributes;
};

// Of one block or one part that is not indexed.
struct FoundIn {
  std::vector<FoundPassage> passages;
  bool cut = false;  // there were more than are kept
  std::optional<Unreadable> unreadable;
};

class HitList {
 public:
  explicit HitList(const TextQuery& query) : query_(query) {}

  // The most that are worth keeping of one block.
  std::size_t most_of_one() const;
  bool is_before(const FoundPassage& a, const FoundPassage& b) const;
  // Adds one, unless there are most_of_one() better ones; `complete` is asked of what is kept.
  void keep(FoundIn& found, FoundPassage passage, const std::function<void(FoundPassage&)>& complete) const;

  void add(FoundIn found);
  // Whether a block of this session, no passage of it newer than that, can still change the answer.
  bool wants(const std::string& session, Millis newest) const;
  // Whether blocks whose passages are not newer than that can.
  bool enough(Millis newest) const;

  // What was read so far does not count towards the blocks that are enough.
  void look_further() { blocks_ = 0; }

  std::size_t size() const { return found_.size(); }
  std::size_t sessions() const { return sessions_.size(); }
  // The answer, in order. `more`: the limit left something out; `more_in_sessions`: the limit per session did.
  std::vector<FoundPassage> take(bool& more, bool& more_in_sessions);

 private:
  std::size_t capped() const;

  const TextQuery& query_;
  std::vector<FoundPassage> found_;
  std::map<std::string, std::vector<Millis>, std::less<>> sessions_;  // times of hits, newest first
  std::size_t blocks_ = 0;                                            // that held something
  bool cut_ = false;
};

}  // namespace holdfast::search
