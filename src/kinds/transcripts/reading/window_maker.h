#pragma once

// From lines to the turns of one window. Internal to transcript_reading.cpp.
//
// A window is named by lines and goes by places: where a line is read (branches.h).

#include "kinds/transcripts/lines/branches.h"
#include "kinds/transcripts/reading/record_reader.h"

#include <map>
#include <string>

namespace holdfast::transcripts {

// Subagents by the id of the call that began them, and by agent_key of their own.
using SubagentMap = std::map<std::string, reading::Subagent, std::less<>>;
std::string agent_key(std::string_view agent_id_or_path);

class WindowMaker {
 public:
  // A result is looked for within so many places behind its call: parallel calls are few. Results that come later stand alone.
  static constexpr std::uint32_t kResultReach = 64;
  static constexpr std::size_t kMostForks = 8;  // offered at one place

  // branch nullptr: every line. All must outlive it.
  WindowMaker(const reading::ByteSource& source, const LineIndex& index, const LineOrder& order, const Branch* branch,
              const SubagentMap& subagents, const reading::WindowQuery& query);

  Result<reading::Window> make();

 private:
  struct Call {
    std::size_t turn, part;
  };
  bool is_shown(std::uint32_t line) const;
  bool begins_turn(std::uint32_t line) const;
  std::uint32_t first_place() const;
  std::uint32_t start_before(std::uint32_t end) const;  // the place where a window begins that ends there
  Result<bool> take(std::uint32_t line);                // false: the window is full, and the line begins the next
  void take_result(std::uint32_t line, LooseResult loose, const reading::Turn& head);
  void attach(const Call& call, LooseResult loose);
  Result<void> look_ahead(std::uint32_t place);
  Result<void> add_forks(std::uint32_t line, reading::Turn& turn);
  bool is_full() const;

  const LineIndex& index_;
  const LineOrder& order_;
  const Branch* branch_;
  const SubagentMap& subagents_;
  const reading::WindowQuery query_;
  IndexedRecordReader records_;
  std::uint32_t begin_ = 0;  // a place
  reading::Window window_;
  std::string message_id_;                          // of the last turn
  std::map<std::string, Call, std::less<>> calls_;  // without a result
  std::size_t bytes_ = 0;
};

}  // namespace holdfast::transcripts
