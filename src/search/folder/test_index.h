#pragma once

// For tests: an index of a few texts, and what they may be.

#include "search/folder/index_update.h"

#include <rapidcheck.h>

#include <string>
#include <utility>
#include <vector>

namespace holdfast::search {

// One chunk a text.
inline ChunkIndex index_of(const std::vector<std::string>& texts) {
  ChunkIndex index;
  index.seed = {17, 42};
  IndexBatch batch(index.seed);
  for (const std::string& text : texts) {
    FolderText read;
    read.text = text;
    read.chunks = cut_chunks(text);
    IndexedFile file;
    file.path = "file" + std::to_string(1000 + index.files.size());
    file.first_chunk = static_cast<std::uint32_t>(batch.chunks.size());
    file.chunk_count = static_cast<std::uint32_t>(read.chunks.size());
    batch.add(read);
    for (std::uint32_t i = 0; i < file.chunk_count; ++i)
      batch.chunks[file.first_chunk + i].file = static_cast<std::uint32_t>(index.files.size());
    index.files.push_back(file);
  }
  index.chunks = batch.chunks;
  std::vector<Postings> runs = batch.finish();
  if (!runs.empty()) index.postings = std::move(runs[0]);
  index.count_words();
  return index;
}

inline rc::Gen<std::string> some_text() {
  const auto word = rc::gen::element<std::string>("red", "green", "blue", "retry_policy", "RetryPolicy", "Größe", "東京都", "x");
  return rc::gen::map(rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(word)), [](const auto& words) {
    std::string text;
    for (const std::string& each : words) text += each + ' ';
    return text.substr(0, kMaxChunkBytes);
  });
}

}  // namespace holdfast::search
