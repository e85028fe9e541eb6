#pragma once

// Which files the guard keeps, and what they are called in it.
//
// Everything that the inventory counts as part of a session of Claude Code: transcripts, subagents, their metadata, workflows,
// saved results, plans, to-dos, tasks, file history, session-env scripts, debug logs, and what lies unknown in a session's own
// folders; and rollouts of Codex, compressed ones as they are. Scripts are kept because a session must come back whole; whether
// they are put back is decided by restore. Not kept: locks (they mean something only to the process that holds them), links and
// sockets, and what belongs to no session (settings, history of prompts, project memory).

#include "kinds/transcripts/home/any_session.h"

namespace holdfast::transcripts {

enum class Product { claude, codex };
inline constexpr std::array kProducts = {Product::claude, Product::codex};

const Home& home_of(const Homes& homes, Product product);

struct GuardedFile {
  Product product = Product::claude;
  std::string path;  // below its home
  bool operator==(const GuardedFile&) const = default;
  auto operator<=>(const GuardedFile&) const = default;
};

// "claude:projects/…", "codex:sessions/…"
std::string guard_key(const GuardedFile& file);
std::optional<GuardedFile> file_of_key(std::string_view key);  // nullopt: not one of these

// Whose it is, by where it lies; empty: nobody's, or only its content says it (a plan, a flat subagent).
std::string session_in_path(const GuardedFile& file);

bool is_guarded(const GuardedFile& file);
// Can what is guarded lie in this folder, or below it? Not everything below "projects" belongs to sessions.
bool may_hold_guarded(Product product, std::string_view folder);
// The folders of a home in which all of it lies.
std::span<const std::string_view> guarded_areas(Product product);

// Every guarded file in the folder and below, and every folder on the way, itself included; a folder that is not there is empty.
// What cannot be listed is told to `trouble` and passed over.
struct GuardWalk {
  std::function<void(GuardedFile)> file;
  std::function<void(const std::string& folder)> folder;
  std::function<void(const Error&)> trouble;
};
void walk_guarded(const Home& home, Product product, const std::string& folder, const GuardWalk& walk);

// All files of one session of Claude Code, and the plans, which may be anybody's: no file is opened for it.
std::vector<GuardedFile> guarded_files_of(const Home& home, const SessionPlace& place,
                                          const std::function<void(const Error&)>& trouble);

}  // namespace holdfast::transcripts
