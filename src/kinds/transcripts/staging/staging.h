#pragma once

// New files put in place all at once, old ones taken away all at once, and either undone when the program dies in between
// (transcript-archive §8.4-8.5; docs/formats/staging.md).
//
// An operation has a folder <home>/.holdfast/<operation>/ that holds the staged files and a journal, locked while its process
// lives. New files are written and synced there, then renamed to their places without ever replacing anything, the main
// transcript last; files to be removed are renamed into it, the main transcript first, and erased at the end. Whatever step the
// program dies at, the journal says which of the two states is reached by undoing or by finishing; recover() does that, and runs
// before every operation on that home. Where an area is on another file system its part of the folder is in that area.

#include "kinds/transcripts/home/home.h"
#include "kinds/transcripts/home/inventory.h"

#include <memory>

namespace holdfast::transcripts {

class Staging {
 public:
  // `what` ("restore", "move", "delete", ...) and `about` (the session) are for the journal's readers.
  static Result<Staging> begin(const Home& home, std::string_view what, std::string_view about);
  Staging(Staging&&) noexcept;
  Staging& operator=(Staging&&) = delete;
  ~Staging();  // not committed: everything staged is removed, everything taken away is put back

  // A new file, to be written by the caller through the descriptor; mode is exact. Then done() before the next. final_path must
  // not exist when it is put in place. Parents of it are made as needed, mode 0700.
  Result<int> create(const std::string& final_path, mode_t mode);
  Result<void> done();
  // One that exists at commit stays as it is.
  Result<void> make_folder(const std::string& final_path, mode_t mode);
  // A file that is done, for reading it again before commit. Errors: not_found, io.
  Result<Fd> staged(const std::string& final_path) const;
  // Taken away at commit. A folder only when it is empty then. How the file is now is how it must be then; one that cannot be
  // looked at makes commit fail.
  void remove(const std::string& path);
  void remove_folder(const std::string& path);
  // These come last when put in place and first when taken away.
  void set_main(const std::string& new_main, const std::string& old_main);

  // Syncs the staged files, writes the journal, puts in place, takes away, cleans up. conflict when a path exists or a file to
  // be taken away changed (size, mtime) since remove(). On error the old state is back.
  Result<void> commit();

  const std::vector<std::string>& created() const;  // paths, after commit
  const std::vector<std::string>& removed() const;  // files, then the folders that were empty

 private:
  struct State;
  explicit Staging(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What a dead process left behind.
struct Leftover {
  std::string operation;  // folder name
  std::string home;       // absolute, as is the next
  std::string folder;
  std::string trouble;  // why it can be neither undone nor finished, when nothing else is known of it: it is left alone
  std::string what, about;
  Millis began_at = 0;
  bool finishing = false;  // the rest will be finished, else undone
  // Below the home; of the new ones the main transcript is the last, of the old ones the first.
  std::vector<std::string> new_paths, old_paths;
};
Result<std::vector<Leftover>> leftovers(const Home& home);
// Undoes or finishes them. Those of living processes are left alone.
Result<std::vector<Leftover>> recover(const Home& home);

// For commands: before anything is looked for in a home, because a session whose move or delete died lies in two places, or in
// none, and its files stand in the way of the same command typed again. What cannot be ended stops nobody.
struct Recovered {
  std::vector<Leftover> ended;
  std::vector<std::string> notes;  // sentences for the person: what was ended, and what could not be

  void add(Recovered more);
};
Recovered recover_first(const Home& home);

}  // namespace holdfast::transcripts
