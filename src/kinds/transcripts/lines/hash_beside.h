#pragma once

// A hash of bytes that arrive one after another, computed on a thread of its own while the caller goes on.
//
// Bytes are gathered into blocks, so that many small pieces cost no more than one large one. The thread begins with the first
// full block: small files have none. Called by one thread at a time.

#include "base/crypto/hash.h"

namespace holdfast::transcripts {

class HashBeside {
 public:
  HashBeside();
  ~HashBeside();
  HashBeside(const HashBeside&) = delete;
  HashBeside& operator=(const HashBeside&) = delete;

  void add(std::string_view bytes);
  Digest finish();  // waits for the thread, and begins anew

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::transcripts
