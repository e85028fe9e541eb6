// Any bytes as the index on disk, with a checksum that fits: what is accepted can be searched and written again.

#include "kinds/research/corpus/corpus_cache.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace holdfast::research;
  namespace search = holdfast::search;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (read_index(bytes, "roots", 2)) std::abort();  // without its checksum nothing is
  seal_index(bytes);
  const auto index = read_index(bytes, "roots", 2);
  if (!index) return 0;
  for (const search::ScoredChunk& scored : index->search({"red", "green"}, 10))
    if (scored.chunk >= index->chunks.size() || index->chunks[scored.chunk].file >= index->files.size()) std::abort();
  for (std::size_t i = 0; i < index->postings.size(); ++i)
    for (search::PostingReader reader(index->postings.list(i)); reader.next();)
      if (reader.chunk() >= index->chunks.size()) std::abort();
  if (write_index(*index, "roots") != bytes) std::abort();
  return 0;
}
