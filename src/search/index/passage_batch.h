#pragma once

// Copies of passages, so that their source can be read on by another thread while these are cut into words.

#include "search/index/passages.h"

#include <string>
#include <vector>

namespace holdfast::search {

class PassageBatch {
 public:
  void clear();
  void add(const Passage& passage);
  // Gives each passage, in order.
  template <class Take>
  void each(const Take& take) const {
    std::vector<std::string_view> attributes;
    for (const Item& item : items_) {
      Passage passage = item.passage;
      passage.text = std::string_view(bytes_).substr(item.text, item.text_size);
      attributes.clear();
      for (std::size_t i = item.first_attribute; i < item.last_attribute; ++i)
        attributes.push_back(std::string_view(bytes_).substr(attributes_[i].first, attributes_[i].second));
      passage.attributes = attributes;
      take(passage);
    }
  }
  std::size_t text_bytes() const { return text_bytes_; }

 private:
  struct Item {
    Passage passage;  // without its views
    std::size_t text = 0, text_size = 0, first_attribute = 0, last_attribute = 0;
  };
  std::string bytes_;
  std::vector<Item> items_;
  std::vector<std::pair<std::size_t, std::size_t>> attributes_;
  std::size_t text_bytes_ = 0;
};

}  // namespace holdfast::search
