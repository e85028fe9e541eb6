#include "kinds/documents/files/stamped_files.h"
#include "kinds/documents/links/link_map.h"
#include "kinds/documents/links/links.h"
#include "kinds/documents/text/views.h"

#include <algorithm>
#include <mutex>

namespace holdfast::documents {

namespace {

std::vector<LinkTarget> targets_of(std::string_view text) {
  std::vector<LinkTarget> targets;
  for (Link& link : find_links(text)) targets.push_back({std::move(link.target), link.form == Link::Form::markdown});
  std::ranges::sort(targets);
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

std::shared_ptr<const DocumentLinks> read_links(ViewReader& reader, const WalkedFile& file, bool&) {
  auto links = std::make_shared<DocumentLinks>();
  if (!has_links(file.place) || reader.read(file.place, View::accepted) != ViewReader::Outcome::text) return links;
  links->accepted = targets_of(reader.text());
  if (file.place.reviewed && may_hold_markup(reader.raw())) links->base = targets_of(view_of(reader.raw(), Side::base));
  return links;
}

}  // namespace

struct LinkReader::State {
  std::mutex mutex;
  StampedFiles<DocumentLinks> files;
  std::shared_ptr<const LinkMapState> last;
};

LinkReader::LinkReader() : state_(std::make_unique<State>()) {}
LinkReader::~LinkReader() = default;

Result<LinkMap> LinkReader::read(Library& library, const Overlay& overlay, const std::function<bool()>& cancelled) {
  WalkOptions walking;
  walking.cancelled = cancelled;
  std::lock_guard lock(state_->mutex);
  HF_TRY(const std::vector<WalkedFile> files, walk(library, walking));
  HF_TRY(const auto updated, state_->files.update(library, overlay, files, read_links, cancelled));
  if (updated.changed || !state_->last) {
    std::vector<std::string> paths, folders;
    std::vector<LinkSource> sources;
    for (std::size_t i = 0; i < files.size(); ++i) {
      paths.push_back(files[i].place.path);
      const auto& links = updated.known[i];
      if (links && (!links->accepted.empty() || !links->base.empty())) sources.push_back({files[i].place, links});
    }
    const auto& settings = library.settings();
    if (settings.names_folders())
      for (const LibraryFolder& folder : settings.folders) folders.push_back(folder.name);
    state_->last = std::make_shared<const LinkMapState>(std::move(paths), std::move(folders), std::move(sources));
  }
  return LinkMap(state_->last);
}

}  // namespace holdfast::documents
