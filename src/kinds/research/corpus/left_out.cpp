#include "kinds/research/corpus/left_out.h"

#include "base/text/text.h"

#include <fmt/format.h>

#include <iterator>

namespace holdfast::research {

void LeftOut::add(const std::string& path, const std::string& why, std::size_t count) {
  count_ += count;
  named_.emplace(path, why);
  if (named_.size() > kNamed) named_.erase(std::prev(named_.end()));
}

void LeftOut::add(const std::string& folder, const LeftOut& others) {
  for (const auto& [path, why] : others.named_) add(folder + "/" + path, why, 0);
  count_ += others.count_;
}

std::string LeftOut::sentence() const {
  if (count_ == 0) return {};
  std::string text =
      fmt::format("{} of the documents' folders {} left out: ", count_ == 1 ? "1 file" : fmt::format("{} files", count_),
                  count_ == 1 ? "is" : "are");
  std::size_t shown = 0;
  for (const auto& [path, why] : named_) text += fmt::format("{}{} ({})", shown++ == 0 ? "" : "; ", to_valid_utf8(path), why);
  if (count_ > shown) text += fmt::format("; and {} more", count_ - shown);
  return text;
}

}  // namespace holdfast::research
