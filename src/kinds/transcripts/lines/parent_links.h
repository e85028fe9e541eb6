#pragma once

// The tree of one transcript: who points to whom by parentUuid, and where that goes wrong.
//
// Forty bytes a record, in chunks: a session of a million records takes 40 MB and nothing is copied while it grows. Internal to
// verify_session.cpp. One thread.

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>

namespace holdfast::transcripts {

enum class LinkProblem { same_uuid, no_parent, circle };

class ParentLinks {
 public:
  // `parent` empty: a root. Uuids are compared as such, so their case means nothing; other texts are ids, too.
  void add(std::string_view uuid, std::string_view parent, std::uint64_t line);
  // Calls `tell` for every problem, in the order of the lines. A circle is told of once, at its first line; a uuid at each line
  // that repeats it. Then it is empty again.
  void finish(const std::function<void(LinkProblem problem, std::uint64_t line)>& tell);

 private:
  using Id = std::array<std::uint8_t, 16>;
  struct Record {
    Id id{}, parent{};
    std::uint32_t line = 0;
    std::uint32_t up = 0;  // index of the parent, or one of the values in the source file
  };
  static Id id_of(std::string_view text);
  std::uint32_t index_of(const Id& id) const;
  void resolve();
  void find_circles();

  std::deque<Record> records_;
};

}  // namespace holdfast::transcripts
