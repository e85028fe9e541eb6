#pragma once

// A session that the client no longer has as files in a home of its own, for as long as it is needed: whatever reads a session
// from a home (info, archive, verify, a reader) then reads this one, and nothing else must know of the guard and of backups.
//
// Lies in a private temporary folder and is removed with this object; what a crash leaves behind is removed by the next one made.

#include "kinds/transcripts/guard/kept_session.h"
#include "kinds/transcripts/remote/progress.h"
#include "kinds/transcripts/verbs/backups.h"

namespace holdfast::transcripts {

class KeptHome {
 public:
  // In `folder`, which exists; without blobs for backups alone. Errors: io.
  static Result<KeptHome> make(const std::string& folder, session::Blobs* blobs);
  KeptHome(KeptHome&& other) noexcept;
  KeptHome& operator=(KeptHome&&) = delete;
  ~KeptHome();

  const Homes& homes() const { return homes_; }

  // All its files, byte for byte, with their times, for their owner alone; plans as well. Files other than the transcript that
  // are damaged in the guard are left out, and named by left_out(). Errors: corrupt (the transcript is damaged), cancelled, io.
  Result<AnySession> lay_out(const KeptSession& session, const KeptVersion& version = {}, const Progress& progress = {});
  // All that the backup holds, with its time. Errors: those of reading archives.
  Result<AnySession> lay_out(const KeptBackup& backup, Millis now, const Progress& progress = {});
  const std::vector<std::string>& left_out() const { return left_out_; }  // with the reason
  // For a list: only what a summary reads, the ends of the transcript; between them is nothing.
  Result<SessionLine> line_of(const KeptSession& session);

 private:
  KeptHome(std::string folder, Homes homes, session::Blobs* blobs)
      : folder_(std::move(folder)), homes_(std::move(homes)), blobs_(blobs) {}
  std::string path_of(const session::KeptFile& file) const;  // absolute
  Result<Fd> make_file(const session::KeptFile& file) const;
  Result<void> copy(const session::KeptFile& file, std::uint64_t& done, std::uint64_t total, const Progress& progress) const;
  Result<void> copy_part(const session::KeptFile& file, int to, std::uint64_t begin, std::uint64_t end) const;

  std::string folder_;
  Homes homes_;
  session::Blobs* blobs_;
  std::vector<std::string> left_out_;
};

}  // namespace holdfast::transcripts
