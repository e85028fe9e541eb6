#include "operations/context.h"

#include "base/files/file.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "operations/reasoning/situated.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace holdfast::operations {

std::unexpected<Error> Context::not_offered(std::string_view what) {
  return fail(ErrorKind::unavailable, fmt::format("not offered here: {}", what));
}

const transcripts::Recovered& Context::recovered() const {
  static const transcripts::Recovered nothing;
  return nothing;
}

Result<transcripts::AnySession> Context::calling_session() {
  return fail(ErrorKind::not_found, "no session is calling from here", "name one");
}

Result<std::string> Context::absolute(const std::string& path) {
  if (path.starts_with('/')) return path;
  return fail(ErrorKind::invalid, path + " is relative, and it is not known to what", "give an absolute path");
}

Result<std::string> Context::archive_path(const std::string&, std::string_view) {
  return fail(ErrorKind::invalid, "it is not known where to", "give {output}");
}

Result<JsonObject> Context::confirm(const GatedAction&) {
  return not_offered("asking a person before something is taken away");
}

Result<WholeStore> Context::whole_store() {
  return not_offered("care of the whole store");
}

Result<threads::Threads*> Context::threads() {
  return not_offered("threads");
}

Result<research::Research*> Context::research() {
  return not_offered("research");
}

Result<Situated> Context::situation(Situate) {
  return not_offered("a line of reasoning that goes on");
}

Result<OfferedRoots> Context::offered_roots(Situated&) {
  return not_offered("projects of a client");
}

catalogue::Asker Context::asker() {
  const auto mine = keeper();
  return {[this]() -> Result<session::Store*> {
            auto opened = store(true);
            if (!opened && opened.error().kind == ErrorKind::not_found) return nullptr;
            return opened;
          },
          identity().principal, mine ? *mine : nullptr};
}

Result<catalogue::Found> Context::any_session(const std::string& id, const std::string& source_project) {
  // A project to look in is about transcripts alone.
  if (id.empty() || !source_project.empty()) return transcript(id, source_project);
  return catalogue::find(asker(), id);
}

Result<const transcripts::Keeper*> Context::keeper_for(const std::string& id) {
  const auto mine = keeper();
  if (!mine && !id.empty()) HF_CHECK(catalogue::find_transcript(asker(), id));
  return mine;
}

Result<catalogue::Found> Context::transcript(const std::string& id, const std::string& source_project) {
  HF_TRY(const auto project, folder(source_project));
  if (!id.empty()) return catalogue::find_transcript(asker(), id, project);
  if (project)
    return fail(ErrorKind::invalid, "{source_project} needs the id of a session", "give the id, or leave {source_project} out");
  HF_TRY(auto caller, calling_session());
  return catalogue::Found{std::move(caller)};
}

Result<void> Context::print_file(const std::string& path) {
  constexpr std::size_t kPiece = 256 * 1024;
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(system_error(path, errno));
  std::string piece(kPiece, '\0');
  for (;;) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error(path, errno));
    if (got == 0) return {};
    HF_CHECK(print(std::string_view(piece).substr(0, static_cast<std::size_t>(got))));
  }
}

Result<std::optional<std::string>> Context::folder(const std::string& path) {
  if (path.empty()) return std::nullopt;
  HF_TRY(const std::string full, absolute(path));
  HF_TRY(std::string folder, transcripts::canonical_project(full));
  return folder;
}

}  // namespace holdfast::operations
