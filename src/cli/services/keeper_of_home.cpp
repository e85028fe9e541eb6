#include "cli/services/keeper_of_home.h"

#include "base/run/log.h"
#include "store/blobs/open.h"

#include <filesystem>
#include <mutex>

namespace holdfast::cli {

Result<std::unique_ptr<transcripts::Keeper>> open_keeper(const Context& context,
                                                         std::function<Result<session::Store*>(bool to_read)> store) {
  const Environment& environment = context.environment;
  const std::string home = environment("HOME").value_or("");
  auto folder = [&](std::string_view setting, const std::string& usual) -> Result<std::string> {
    const std::string& given = context.settings.text(setting);
    if (given.empty()) return usual;
    std::error_code error;
    const std::filesystem::path path = std::filesystem::absolute(given, error);
    if (error) return fail(system_error(given, error.value()));
    return path.lexically_normal().string();
  };
  HF_TRY(const std::string claude,
         folder("claude_dir", transcripts::Home::claude_folder(environment("CLAUDE_CONFIG_DIR"), home)));
  HF_TRY(const std::string codex, folder("codex_dir", transcripts::Home::codex_folder(environment("CODEX_HOME"), home)));
  HF_TRY(auto homes, transcripts::Homes::open(claude, codex));
  transcripts::KeeperOptions options;
  options.data_folder = context.folders.data;
  options.home_folder = home;
  options.clock = context.clock;
  options.store = std::move(store);
  struct Guard {
    std::once_flag once;
    Result<std::unique_ptr<session::Blobs>> blobs = nullptr;
  };
  options.guard = [guard = std::make_shared<Guard>(), folder = context.folders.data + "/guard",
                   clock = context.clock]() -> Result<session::Blobs*> {
    std::call_once(guard->once, [&] {
      store::BlobOptions blobs;
      blobs.clock = clock;
      guard->blobs = store::open_blobs(folder, blobs);
    });
    if (!guard->blobs) return fail(guard->blobs.error());
    return guard->blobs->get();
  };
  return std::make_unique<transcripts::Keeper>(std::move(homes), std::move(options));
}

void end_what_died(const transcripts::Keeper& keeper) {
  const transcripts::Recovered recovered = keeper.recover();
  for (const std::string& note : recovered.notes) log(LogLevel::warn, "transcripts", note);
}

}  // namespace holdfast::cli
