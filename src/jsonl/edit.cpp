#include "jsonl/edit.h"

namespace holdfast::jsonl {
namespace {

Result<void> check_fit(std::string_view text, std::span<const Edit> edits) {
  std::size_t end = 0;
  for (const Edit& edit : edits) {
    if (edit.offset < end || edit.offset > text.size() || edit.length > text.size() - edit.offset)
      return fail(ErrorKind::invalid, "edits that overlap, are out of order, or reach behind the end of the text");
    end = edit.offset + edit.length;
  }
  return {};
}

}  // namespace

Result<void> append_edited(std::string& out, std::string_view text, std::span<const Edit> edits) {
  HF_CHECK(check_fit(text, edits));
  std::size_t size = out.size() + text.size();
  for (const Edit& edit : edits) size += edit.bytes.size();
  out.reserve(size);  // else a long line is moved once more for its last few bytes
  std::size_t done = 0;
  for (const Edit& edit : edits) {
    out += text.substr(done, edit.offset - done);
    out += edit.bytes;
    done = edit.offset + edit.length;
  }
  out += text.substr(done);
  return {};
}

Result<std::vector<Edit>> inverse_of(std::string_view text, std::span<const Edit> edits) {
  HF_CHECK(check_fit(text, edits));
  std::vector<Edit> inverse;
  inverse.reserve(edits.size());
  std::size_t added = 0, removed = 0;
  for (const Edit& edit : edits) {
    const std::size_t offset = edit.offset + added - removed;
    inverse.push_back({offset, edit.bytes.size(), std::string(text.substr(edit.offset, edit.length))});
    added += edit.bytes.size();
    removed += edit.length;
  }
  return inverse;
}

}  // namespace holdfast::jsonl
