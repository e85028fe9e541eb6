#include "search/index/open.h"

#include "search/index/search.h"
#include "search/index/update.h"

#include <algorithm>
#include <atomic>
#include <set>

namespace holdfast::search {
namespace {

constexpr std::size_t kHelpers = 3;

class FolderIndex final : public TextIndex {
 public:
  FolderIndex(std::string folder, std::uint64_t segment_text)
      : folder_(std::move(folder)), segment_text_(segment_text), current_(folder_) {}

  Result<void> update(PassageSources& sources, const std::function<void(const Progress&)>& progress,
                      std::stop_token stop) override {
    HF_TRY(IndexWriter writer, IndexWriter::open(folder_, segment_text_));
    const Busy busy(updating_);
    return Updater(writer, sources, progress, std::move(stop)).run();
  }

  Result<TextResult> search(PassageSources& sources, const TextQuery& query) override {
    HF_TRY(auto division, last_division_.get(current_.get(), sources));
    return search_index(std::move(division), sources, query, helpers_);
  }

  Result<std::vector<std::string>> attributes(std::string_view prefix, std::size_t limit) override {
    const auto view = current_.get();
    // Without the end of an attribute that was cut, which would be another one.
    const std::string wanted = attribute_term(prefix);
    std::set<std::string, std::less<>> found;
    for (const auto& segment : view->segments) {
      std::size_t taken = 0;
      segment->attributes().each_with_prefix(wanted, [&](std::string_view term) {
        found.emplace(term);
        return ++taken < limit;
      });
    }
    std::vector<std::string> attributes;
    for (const std::string& term : found) {
      if (attributes.size() == limit) break;
      if (std::string attribute = attribute_of_term(term); attribute.size() < kMaxAttributeBytes)
        attributes.push_back(std::move(attribute));
    }
    std::ranges::sort(attributes);
    return attributes;
  }

  Result<std::shared_ptr<const Division>> divide(PassageSources& sources) override {
    return last_division_.get(current_.get(), sources);
  }

  Result<void> forget(const Erased& erased, std::chrono::milliseconds patience) override {
    HF_TRY(IndexWriter writer, IndexWriter::open(folder_, segment_text_, patience));
    return writer.forget(erased);
  }

  Result<void> clear(std::chrono::milliseconds patience) override {
    HF_TRY(IndexWriter writer, IndexWriter::open(folder_, segment_text_, patience));
    return writer.clear();
  }

  Result<IndexState> state(PassageSources& sources) override {
    HF_TRY(const auto division, last_division_.get(current_.get(), sources));
    IndexState state = division->state;
    state.updating = updating_ > 0;
    return state;
  }

 private:
  struct Busy {
    explicit Busy(std::atomic<int>& counted) : count(counted) { ++count; }
    ~Busy() { --count; }
    std::atomic<int>& count;
  };

  const std::string folder_;
  const std::uint64_t segment_text_;
  CurrentView current_;
  LastDivision last_division_;
  Pool helpers_{kHelpers};  // of all searches together
  std::atomic<int> updating_ = 0;
};

}  // namespace

Result<std::unique_ptr<TextIndex>> open_text_index(const std::string& folder, std::uint64_t segment_text) {
  return std::make_unique<FolderIndex>(folder, segment_text);
}

}  // namespace holdfast::search
