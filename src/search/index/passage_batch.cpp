#include "search/index/passage_batch.h"

#include "search/words/fold.h"

namespace holdfast::search {

void PassageBatch::clear() {
  if (bytes_.capacity() > kKeptBytes) bytes_ = {};
  bytes_.clear();
  items_.clear();
  attributes_.clear();
  text_bytes_ = 0;
}

void PassageBatch::add(const Passage& passage) {
  Item item{passage, bytes_.size(), passage.text.size(), attributes_.size(), 0};
  item.passage.text = {};
  item.passage.attributes = {};
  bytes_ += passage.text;
  text_bytes_ += passage.text.size();
  for (const std::string_view attribute : passage.attributes) {
    attributes_.emplace_back(bytes_.size(), attribute.size());
    bytes_ += attribute;
  }
  item.last_attribute = attributes_.size();
  items_.push_back(item);
}

}  // namespace holdfast::search
