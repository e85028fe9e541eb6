#pragma once

// The members of an archive that hold files, in every version of the format (transcript-archive §4.1-4.2), taken apart. Knows the
// shapes, not what becomes of the content. Internal to the archive reader.

#include "jsonl/pull.h"
#include "kinds/transcripts/archive/archive_slots.h"

namespace holdfast::transcripts {

// Each function takes exactly one value from the parser. `slot` holds what has been read of the entry so far: in archives of our
// own that is all of it, in foreign ones an extension may follow the content it belongs to.
class MemberContent {
 public:
  virtual ~MemberContent() = default;
  virtual Result<std::uint64_t> records(const Slot& slot, jsonl::PullParser& in) = 0;  // how many there were
  enum class Spelling { text, base64 };
  virtual Result<void> file(const Slot& slot, Spelling spelling, jsonl::PullParser& in) = 0;
  virtual Result<void> task(jsonl::PullParser& in) = 0;
  // The whole slot, behind its content.
  virtual Result<void> end(const Slot& slot) = 0;
  virtual void unknown_field(std::string_view name) = 0;
  // The records of a list are not as many as were promised.
  virtual Result<void> wrong_count(const std::string& what) = 0;
};

bool is_file_member(std::string_view name);

// False: no member of this name holds files; its value is still to be taken. Errors: corrupt, those of the content.
Result<bool> read_member(std::string_view name, std::string_view session_id, jsonl::PullParser& in, MemberContent& content);

}  // namespace holdfast::transcripts
