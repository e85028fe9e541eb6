#pragma once

// The folders under review, and the names of documents in them (document-review §4 Paths; design 8.14).
//
// A document is named by a path relative to the library, separated by '/', exactly as glob prints it; with several folders the
// first segment is the folder's name. Names are resolved component by component below an open folder (base/files/path_below.h),
// never by comparing strings. What may not be seen is refused here, so that no tool can forget it.
//
// Thread-safe: nothing changes after open.
//
// Errors: invalid with code path_denied (absolute, a ".." that leaves the folder, NUL, control characters, the state folder,
// .git), not_found with code no_such_document (with up to three near names as hint; also for links that lead outside), refused
// with code read_only.
//
// Names that begin with '.' are no documents, nor is what .gitignore names, or what lies deeper than a walk goes: they answer as
// if they were not there, so that .env is never shown and nothing waits for review where no listing looks. A file with several
// hard links is one document a name; changing it through one name leaves the others with the old bytes, since changes replace
// files whole.

#include "base/files/fd.h"
#include "base/result.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

struct LibraryFolder {
  std::string name;    // first segment of paths when names_folders()
  std::string folder;  // absolute
  bool read_only = false;
};

struct LibrarySettings {
  std::vector<LibraryFolder> folders;
  // Locks, journal, proposals, trash; made 0700. It may lie inside of a folder and is never seen as part of it.
  std::string state_folder;
  // Ends of file names (any case) that can carry markup; others are edited through proposals.
  std::vector<std::string> reviewed = {".md", ".markdown", ".txt"};
  bool direct_edits = false;  // of other kinds: written at once instead of proposed
  bool supersede_any = true;  // a model may replace pending changes of others (document-review §6.5)
  // Paths begin with the folder's name also when there is only this one: who sees one folder of several names its documents as
  // everybody else does.
  bool one_of_several = false;

  bool names_folders() const { return one_of_several || folders.size() > 1; }
};

// A document's place, resolved. The same file has the same `key` and `path`, however it was spelled and through whichever inner
// link.
struct Place {
  std::size_t folder = 0;  // of LibrarySettings::folders
  std::string path;        // as shown: with the folder's name when names_folders()
  std::string relative;    // below its folder, links resolved
  std::string key;         // absolute: the document's identity in locks, read records, proposals
  bool exists = false;
  bool is_folder = false;
  bool reviewed = false;  // its kind can carry markup
};

// Whether a kind of file can carry markup, by the end of its name.
bool is_reviewed(const LibrarySettings& settings, std::string_view path);

class Library {
 public:
  // Errors: not_found, refused (a folder cannot be opened), invalid (two folders of one name, one inside of another).
  static Result<std::unique_ptr<Library>> open(LibrarySettings settings);
  virtual ~Library() = default;

  virtual const LibrarySettings& settings() const = 0;
  // A document or folder that is there. "" and "." are the whole library when it is one folder.
  virtual Result<Place> find(std::string_view path) = 0;
  // A place for something new: its parents may be missing, itself not there yet (conflict with code exists). Spelled plainly:
  // invalid with code bad_argument for "." and "..", a doubled or trailing '/', a file as parent; path_denied for '"' and for
  // names that begin with '.'.
  virtual Result<Place> find_new(std::string_view path) = 0;
  // The place a key names, when it lies in this library; whether or not it still exists.
  virtual std::optional<Place> place_of(std::string_view key) = 0;
  virtual const Fd& folder_of(const Place& place) = 0;
  // Errors: refused with code read_only, of a folder that may only be read, and of a file that its permissions protect: changes
  // replace files, which would not ask for them.
  virtual Result<void> require_writable(const Place& place) = 0;
};

}  // namespace holdfast::documents
