#include "cli/program/document_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace holdfast::cli {

namespace {

constexpr double kDayMillis = 86'400'000;
constexpr double kLongestDays = 36'500;  // a century: longer is meant as for ever, and far from where milliseconds end

Error bad_name(const documents::LibraryFolder& folder) {
  return make_error(ErrorKind::invalid, fmt::format("a folder of documents cannot be called \"{}\"", folder.name),
                    fmt::format("give it another name: NAME={}", folder.folder));
}

}  // namespace

Result<documents::LibraryFolder> read_folder(std::string_view word) {
  documents::LibraryFolder folder;
  const std::size_t sign = word.find('=');
  const bool named = sign != std::string_view::npos && word.substr(0, sign).find('/') == std::string_view::npos;
  const std::string given(named ? word.substr(sign + 1) : word);
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(given, error);
  if (error || !std::filesystem::is_directory(real, error))
    return fail(ErrorKind::not_found, fmt::format("there is no folder {}", given), "--documents takes DIR or NAME=DIR");
  folder.folder = real.string();
  folder.name = named ? std::string(word.substr(0, sign)) : real.filename().string();
  if (!named && folder.name.empty()) folder.name = "root";  // of the whole machine
  if (named && (folder.name.empty() || folder.name.starts_with('.'))) return fail(bad_name(folder));
  return folder;
}

Result<documents::LibrarySettings> library_settings(const Context& context) {
  const Settings& settings = context.settings;
  documents::LibrarySettings library;
  library.state_folder = context.folders.data + "/documents";
  library.reviewed = settings.list("documents.reviewed");
  library.direct_edits = settings.flag("documents.direct_edits");
  const std::string& supersede = settings.text("documents.supersede");
  if (supersede != "own" && supersede != "any")
    return fail(ErrorKind::invalid, fmt::format("documents.supersede: \"{}\" is neither own nor any", supersede));
  library.supersede_any = supersede == "any";
  if (settings.decimal("documents.handle_ttl_days") <= 0)
    return fail(ErrorKind::invalid, "documents.handle_ttl_days: a session that lives no time at all cannot be used",
                "give days, such as 7 or 0.5");
  for (const std::string& word : settings.list("documents.roots")) {
    HF_TRY(documents::LibraryFolder folder, read_folder(word));
    if (std::ranges::find(library.folders, folder.name, &documents::LibraryFolder::name) != library.folders.end())
      return fail(ErrorKind::invalid, fmt::format("two folders of documents are called {}", folder.name),
                  fmt::format("give one another name: NAME={}", folder.folder));
    library.folders.push_back(std::move(folder));
  }
  // The name of a single one is no part of any path, so it may be hidden.
  if (library.folders.size() > 1)
    for (const documents::LibraryFolder& folder : library.folders)
      if (folder.name.starts_with('.')) return fail(bad_name(folder));
  return library;
}

Millis handle_ttl(const Settings& settings) {
  return static_cast<Millis>(std::min(settings.decimal("documents.handle_ttl_days"), kLongestDays) * kDayMillis);
}

}  // namespace holdfast::cli
