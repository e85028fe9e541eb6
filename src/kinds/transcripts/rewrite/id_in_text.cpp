#include "kinds/transcripts/rewrite/id_in_text.h"

#include "base/text/find_bytes.h"

#include <algorithm>
#include <utility>

namespace holdfast::transcripts {
namespace {

constexpr std::size_t kTextBlock = 64 * 1024;  // looked at together with what was held back

std::string folder_and_id(const std::string& folder, const std::string& id) {
  return "/projects/" + folder + "/" + id;
}

}  // namespace

IdInText::IdInText(const Identity& identity)
    : id_(identity.keeps_id() ? "" : identity.old_session),
      new_id_(identity.new_session),
      path_(folder_and_id(identity.old_folder, identity.old_session)),
      new_path_(folder_and_id(identity.new_folder, identity.new_session)) {}

void IdInText::add(std::string_view piece, std::string& out) {
  if (id_.empty()) {
    out += piece;
    return;
  }
  for (; !piece.empty(); piece.remove_prefix(std::min(piece.size(), kTextBlock))) add_block(piece.substr(0, kTextBlock), out);
}

void IdInText::add_block(std::string_view block, std::string& out) {
  const std::string text = std::exchange(held_, {}).append(block);
  const std::string_view all = text;
  std::size_t done = 0;
  for (std::size_t at = find_bytes(all, id_); at != std::string_view::npos; at = find_bytes(all, id_, done)) {
    const std::size_t end = at + id_.size();
    const bool in_path = all.substr(done, end - done).ends_with(path_);
    out += all.substr(done, end - done - (in_path ? path_ : id_).size());
    out += in_path ? new_path_ : new_id_;
    done = end;
    replaced_ = true;
  }
  const std::size_t rest = std::min(all.size() - done, path_.size() - 1);
  out += all.substr(done, all.size() - done - rest);
  held_ = all.substr(all.size() - rest);
}

bool IdInText::end(std::string& out) {
  out += std::exchange(held_, {});
  return std::exchange(replaced_, false);
}

}  // namespace holdfast::transcripts
