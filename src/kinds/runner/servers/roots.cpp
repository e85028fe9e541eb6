#include "kinds/runner/servers/roots.h"

#include "base/files/at_or_below.h"
#include "base/run/log.h"
#include "base/text/text.h"
#include "base/text/uri.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

namespace holdfast::runner {
namespace {

constexpr std::size_t kMaxPathBytes = 4096;  // what Linux takes

// Places of the system: nothing in them is a project.
constexpr std::array<std::string_view, 14> kSystem = {"/etc",         "/bin",      "/sbin", "/boot",   "/System",
                                                      "/private/etc", "/proc",     "/sys",  "/dev",    "/run",
                                                      "/usr/bin",     "/usr/sbin", "/lib",  "/usr/lib"};
// /lib64, /libx32, /usr/lib32, ...
constexpr std::array<std::string_view, 2> kLibraries = {"/lib", "/usr/lib"};
// Keys and credentials, below the home folder.
constexpr std::array<std::string_view, 5> kPrivate = {".ssh", ".gnupg", ".aws", ".config/gcloud", ".kube"};
constexpr std::array<std::string_view, 5> kUnusual = {"/var", "/usr", "/opt", "/tmp", "/Library"};
constexpr std::string_view kRootHome = "/root";

Error refused(std::string_view given, std::string_view why, std::string_view code, ErrorKind kind = ErrorKind::refused) {
  return make_error(kind, fmt::format("{}: {}", to_valid_utf8(given), why), "name a folder of a project", std::string(code));
}

// Without ".", "..", doubled and trailing slashes; nothing on disk is looked at.
std::string plain(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  std::string out;
  for (const std::string_view part : parts) out += fmt::format("/{}", part);
  return out.empty() ? "/" : out;
}

bool is_library(std::string_view path) {
  for (const std::string_view prefix : kLibraries) {
    if (!path.starts_with(prefix)) continue;
    const std::string_view rest = path.substr(prefix.size());
    if (rest.substr(0, rest.find('/')).find_first_not_of("0123456789x") == std::string_view::npos) return true;
  }
  return false;
}

// Every name of a place: as it was given, and where links lead, as far as there is anything.
std::vector<std::string> place_names(const std::string& place) {
  std::vector<std::string> names = {plain(place)};
  if (std::string real = real_as_far_as_possible(place); real != names.front()) names.push_back(std::move(real));
  return names;
}

bool is_in(std::string_view path, const std::string& place) {
  return std::ranges::any_of(place_names(place), [&](const std::string& name) { return is_at_or_below(path, name); });
}

std::vector<std::string> private_folders(const PathRules& rules) {
  std::vector<std::string> folders;
  for (const std::string_view folder : kPrivate)
    if (!rules.home.empty()) folders.push_back(fmt::format("{}/{}", rules.home, folder));
  return folders;
}

std::optional<Error> forbidden(std::string_view given, std::string_view path, const PathRules& rules) {
  if (path == "/") {
    if (rules.allow_root) return std::nullopt;
    return refused(given, "this is the whole machine", "root_denied");
  }
  if (!rules.state_folder.empty() && is_in(path, rules.state_folder))
    return refused(given, "this is where holdfast keeps its own data", "private_path");
  for (const std::string& folder : private_folders(rules))
    if (is_in(path, folder))
      return refused(given, fmt::format("{} holds keys", std::string_view(folder).substr(rules.home.size() + 1)), "private_path");
  // In containers the user's home is the system's: what is below it is theirs.
  const bool own_home = plain(rules.home) == kRootHome;
  if (is_at_or_below(path, kRootHome) && !(own_home && (rules.allow_home || path != kRootHome)))
    return refused(given, own_home ? "this is the home folder itself" : "this belongs to the system", "system_path");
  for (const std::string_view folder : kSystem)
    if (is_at_or_below(path, folder)) return refused(given, fmt::format("{} belongs to the system", folder), "system_path");
  if (is_library(path)) return refused(given, "this belongs to the system", "system_path");
  return std::nullopt;
}

std::vector<std::string> warnings_about(std::string_view path, const PathRules& rules) {
  std::vector<std::string> warnings;
  for (const std::string_view folder : kUnusual)
    if (is_at_or_below(path, folder))
      warnings.push_back(fmt::format("{} is at or below {}, an unusual place for a project", path, folder));
  std::vector<std::string> inside;
  const auto look = [&](const std::string& place) {
    const auto names = place_names(place);
    if (std::ranges::any_of(names, [&](const auto& name) { return is_at_or_below(name, path); }) &&
        ::access(place.c_str(), F_OK) == 0)
      inside.push_back(place);
  };
  for (const std::string_view folder : kSystem) look(std::string(folder));
  for (const std::string& folder : private_folders(rules)) look(folder);
  if (!rules.state_folder.empty()) look(rules.state_folder);
  if (!inside.empty())
    warnings.push_back(fmt::format("{} contains {}: calls that name something in there are refused, but this is no sandbox", path,
                                   fmt::join(inside, ", ")));
  return warnings;
}

Result<std::string> path_of_uri(std::string_view uri) {
  std::string_view rest = uri.substr(std::string_view("file://").size());
  if (rest.starts_with("localhost/")) rest.remove_prefix(std::string_view("localhost").size());
  const std::string lower = to_ascii_lower(rest);
  if (!rest.starts_with('/') || rest.find_first_of("?#") != std::string_view::npos || lower.contains("%00") ||
      lower.contains("%2f"))
    return fail(
        refused(uri, "this file URI names another host, a part of a file, or a broken path", "bad_path", ErrorKind::invalid));
  auto path = percent_decode(rest);
  if (!path) return fail(refused(uri, "its escapes are broken", "bad_path", ErrorKind::invalid));
  return path;
}

std::string folder_name(const JudgedFolder& folder) {
  if (folder.path == "/") return "/";
  return to_valid_utf8(std::string_view(folder.path).substr(folder.path.rfind('/') + 1));
}

bool same_folder(const JudgedFolder& a, const JudgedFolder& b) {
  return a.device == b.device && a.inode == b.inode;
}

bool same_list(const std::vector<Root>& a, const std::vector<Root>& b) {
  return std::ranges::equal(a, b, [](const Root& x, const Root& y) {
    return x.folder.path == y.folder.path && x.name == y.name && same_folder(x.folder, y.folder);
  });
}

// The first of equal folders stays.
void add_root(std::vector<Root>& roots, Root root) {
  for (const Root& known : roots)
    if (same_folder(known.folder, root.folder)) return;
  roots.push_back(std::move(root));
}

void mark_nested(std::vector<Root>& roots) {
  for (Root& root : roots)
    root.nested = std::ranges::any_of(
        roots, [&](const Root& other) { return &other != &root && is_at_or_below(root.folder.path, other.folder.path); });
}

Result<Root> judged(const Roots::Wanted& wanted, const PathRules& rules) {
  Root root;
  HF_TRY(root.folder, judge_folder(wanted.folder, rules));
  root.uri = folder_uri(root.folder.path);
  root.name = wanted.name ? to_valid_utf8(*wanted.name) : folder_name(root.folder);
  return root;
}

Error too_many() {
  return make_error(ErrorKind::invalid, fmt::format("more than {} roots", kMaxRoots), "name a folder above them instead",
                    "bad_path");
}

constexpr std::size_t kLongestPath = 4096;  // what Linux takes; longer is the content of something
constexpr int kDeepest = 16;                // no tool nests paths deeper

class Guard {
 public:
  Guard(const RootsSnapshot& roots, const PathRules& rules) : roots_(roots), rules_(rules) {}

  std::optional<Error> judge(const Json& value, int depth) const {
    if (depth > kDeepest) return std::nullopt;
    if (value.is_string()) return judge(view(value.as_string()));
    if (value.is_array())
      for (const Json& each : value.as_array())
        if (auto blocked = judge(each, depth + 1)) return blocked;
    if (value.is_object())
      for (const auto& [key, each] : value.as_object())
        if (auto blocked = judge(each, depth + 1)) return blocked;
    return std::nullopt;
  }

 private:
  std::optional<Error> judge(std::string_view text) const {
    if (trim(text).empty() || text.size() > kLongestPath) return std::nullopt;
    const bool alone =
        text.starts_with('/') || text == "~" || text.starts_with("~/") || to_ascii_lower(text).starts_with("file://");
    if (alone) return judge_seen_from(rules_.base, text);
    for (const Root& root : roots_.roots)
      if (auto blocked = judge_seen_from(root.folder.path, text)) return blocked;
    return std::nullopt;
  }

  std::optional<Error> judge_seen_from(const std::string& base, std::string_view text) const {
    PathRules rules = rules_;
    rules.base = base;
    const auto path = absolute_folder(text, rules);
    if (!path) return std::nullopt;  // no path; the server may make of it what it likes
    // By its name, and by where it leads: a link is a name, too.
    for (const std::string& name : {std::filesystem::path(*path).lexically_normal().string(), real_as_far_as_possible(*path)}) {
      const auto why = forbidden_place(name, rules_);
      if (!why || why->code == "root_denied") continue;
      const bool given =
          std::ranges::any_of(roots_.roots, [&](const Root& root) { return is_at_or_below(name, root.folder.path); });
      if (why->code == "private_path" || given)
        return make_error(ErrorKind::refused, fmt::format("the tool was not called: {}", why->message), "work without it",
                          "blocked_path");
    }
    return std::nullopt;
  }

  const RootsSnapshot& roots_;
  const PathRules& rules_;
};

}  // namespace

Result<std::string> absolute_folder(std::string_view given, const PathRules& rules) {
  if (trim(given).empty()) return fail(refused("the folder's name", "it is empty", "bad_path", ErrorKind::invalid));
  std::string path(given);
  if (to_ascii_lower(given).starts_with("file://")) {
    HF_TRY(path, path_of_uri(given));
  } else if (given == "~" || given.starts_with("~/")) {
    if (rules.home.empty()) return fail(refused(given, "there is no home folder", "bad_path", ErrorKind::invalid));
    path = rules.home + std::string(given.substr(1));
  } else if (!given.starts_with('/')) {
    path = fmt::format("{}/{}", rules.base, given);
  }
  if (path.size() > kMaxPathBytes ||
      std::ranges::any_of(path, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }))
    return fail(refused(given, "it is too long or has control characters", "bad_path", ErrorKind::invalid));
  return path;
}

std::string real_as_far_as_possible(const std::string& path) {
  std::error_code problem;
  const auto real = std::filesystem::weakly_canonical(path, problem);
  return plain(problem ? path : real.string());
}

std::optional<Error> forbidden_place(std::string_view path, const PathRules& rules) {
  return forbidden(path, path, rules);
}

Result<JudgedFolder> judge_folder(std::string_view given, const PathRules& rules) {
  HF_TRY(const std::string path, absolute_folder(given, rules));
  if (const auto error = forbidden(given, plain(path), rules)) return fail(*error);
  const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), &std::free);
  if (!resolved) {
    if (errno == ENOENT) return fail(refused(given, "there is no such folder", "missing", ErrorKind::not_found));
    if (errno == ENOTDIR) return fail(refused(given, "it is not a folder", "not_a_directory"));
    return fail(refused(given, system_error("cannot look at it", errno).message, "not_accessible"));
  }
  JudgedFolder folder;
  folder.path = resolved.get();
  if (const auto error = forbidden(given, folder.path, rules)) return fail(*error);
  struct stat status{};
  if (::stat(folder.path.c_str(), &status) != 0)
    return fail(refused(given, "there is no such folder any more", "missing", ErrorKind::not_found));
  if (!S_ISDIR(status.st_mode)) return fail(refused(given, "it is not a folder", "not_a_directory"));
  if (::access(folder.path.c_str(), R_OK | X_OK) != 0)
    return fail(refused(given, "it cannot be read and searched", "not_accessible"));
  folder.device = status.st_dev;
  folder.inode = status.st_ino;
  folder.warnings = warnings_about(folder.path, rules);
  return folder;
}

bool is_still_there(const JudgedFolder& folder) {
  struct stat status{};
  // Of the name itself: a link in its place is another folder.
  return ::lstat(folder.path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_dev == folder.device &&
         status.st_ino == folder.inode;
}

std::string folder_uri(std::string_view path) {
  std::string uri = "file://";
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    uri += percent_encode(path.substr(0, slash));
    if (slash == std::string_view::npos) break;
    uri += '/';
    path.remove_prefix(slash + 1);
  }
  return uri;
}

Roots::Roots(PathRules rules) : rules_(std::move(rules)), current_(std::make_shared<RootsSnapshot>()) {}

RootsView Roots::snapshot() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

Result<RootsView> Roots::set(const std::vector<Wanted>& wanted) {
  if (wanted.size() > kMaxRoots) return fail(too_many());
  std::vector<Root> roots;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    auto root = judged(wanted[i], rules_);
    if (!root && wanted.size() == 1) return fail(std::move(root).error());
    if (!root) return fail(std::move(root).error().within(fmt::format("root {}", i)));
    add_root(roots, *std::move(root));
  }
  std::unique_lock lock(mutex_);
  return publish(std::move(roots), lock);
}

Result<RootsView> Roots::add(const Wanted& wanted) {
  HF_TRY(Root root, judged(wanted, rules_));
  std::unique_lock lock(mutex_);
  std::vector<Root> roots = current_->roots;
  add_root(roots, std::move(root));
  if (roots.size() > kMaxRoots) return fail(too_many());
  return publish(std::move(roots), lock);
}

Result<RootsView> Roots::remove(std::string_view folder) {
  const auto found = judge_folder(folder, rules_);
  std::unique_lock lock(mutex_);
  std::vector<Root> roots = current_->roots;
  const std::size_t removed = std::erase_if(roots, [&](const Root& root) {
    return root.folder.path == folder || root.uri == folder || (found && found->path == root.folder.path);
  });
  if (removed == 0) return fail(ErrorKind::not_found, fmt::format("{} is not a root", to_valid_utf8(folder)));
  return publish(std::move(roots), lock);
}

Result<RootsView> Roots::clear() {
  std::unique_lock lock(mutex_);
  return publish({}, lock);
}

RootsView Roots::put_back(const RootsView& earlier) {
  std::unique_lock lock(mutex_);
  return publish(earlier->roots, lock);
}

RootsView Roots::publish(std::vector<Root> roots, std::unique_lock<std::mutex>& lock) {
  mark_nested(roots);
  if (same_list(roots, current_->roots)) return current_;
  auto next = std::make_shared<RootsSnapshot>();
  next->roots = std::move(roots);
  next->generation = current_->generation + 1;
  current_ = next;
  std::erase_if(missing_, [&](const std::string& path) {
    return std::ranges::none_of(next->roots, [&](const Root& root) { return root.folder.path == path; });
  });
  undelivered_.push_back({RootsEvent::What::changed, next, {}});
  deliver(lock);
  return next;
}

std::vector<Root> Roots::available() {
  std::unique_lock lock(mutex_);
  std::vector<Root> there;
  for (const Root& root : current_->roots) {
    const bool now = is_still_there(root.folder);
    const auto known = std::ranges::find(missing_, root.folder.path);
    if (now) there.push_back(root);
    if (now == (known == missing_.end())) continue;
    if (now)
      missing_.erase(known);
    else
      missing_.push_back(root.folder.path);
    undelivered_.push_back({now ? RootsEvent::What::restored : RootsEvent::What::unavailable, current_, root.folder.path});
  }
  deliver(lock);
  return there;
}

// One thread at a time empties the queue, so that every listener hears of versions in order; a change made by a listener is
// delivered when it has returned.
void Roots::deliver(std::unique_lock<std::mutex>& lock) {
  if (delivering_) return;
  delivering_ = true;
  while (!undelivered_.empty()) {
    const RootsEvent event = std::move(undelivered_.front());
    undelivered_.pop_front();
    const auto listeners = listeners_;
    lock.unlock();
    for (const auto& [token, listener] : listeners) {
      try {
        listener(event);
      } catch (const std::exception& error) {
        log(LogLevel::warn, "runner", fmt::format("a listener of roots failed: {}", error.what()));
      }
    }
    lock.lock();
  }
  delivering_ = false;
}

std::uint64_t Roots::subscribe(Listener listener) {
  const std::lock_guard lock(mutex_);
  listeners_.emplace_back(next_token_, std::move(listener));
  return next_token_++;
}

void Roots::unsubscribe(std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  std::erase_if(listeners_, [&](const auto& each) { return each.first == token; });
}

std::optional<Error> blocked_argument(const JsonObject& arguments, const RootsSnapshot& roots, const PathRules& rules) {
  const Guard guard(roots, rules);
  for (const auto& [key, value] : arguments)
    if (auto blocked = guard.judge(value, 0)) return blocked;
  return std::nullopt;
}

}  // namespace holdfast::runner
