#include "search/index/open.h"

#include "search/index/search.h"
#include "search/index/update.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <unordered_set>

namespace holdfast::search {
namespace {

constexpr std::size_t kHelpers = 3;

class FolderIndex final : public TextIndex {
 public:
  explicit FolderIndex(std::string folder) : folder_(std::move(folder)), current_(folder_) {}

  Result<void> update(PassageSources& sources, const std::function<void(const Progress&)>& progress,
                      std::stop_token stop) override {
    HF_TRY(IndexWriter writer, IndexWriter::open(folder_, false));
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

  Result<void> forget(std::span<const std::string> keys) override {
    HF_TRY(IndexWriter writer, IndexWriter::open(folder_, true));
    const std::unordered_set<std::string> gone(keys.begin(), keys.end());
    std::erase_if(writer.manifest().sources, [&](const ManifestSource& source) { return gone.contains(source.key); });
    return writer.drop_dead();
  }

  Result<void> clear() override {
    HF_TRY(IndexWriter writer, IndexWriter::open(folder_, true));
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
  CurrentView current_;
  LastDivision last_division_;
  Pool helpers_{kHelpers};  // of all searches together
  std::atomic<int> updating_ = 0;
};

}  // namespace

Result<std::unique_ptr<TextIndex>> open_text_index(const std::string& folder) {
  return std::make_unique<FolderIndex>(folder);
}

}  // namespace holdfast::search
