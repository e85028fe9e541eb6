#pragma once

// What several operations over transcripts can be given.

#include "catalogue/list.h"
#include "operations/context.h"
#include "operations/operation.h"

namespace holdfast::operations {

inline constexpr std::string_view kStandardOutput = "-";

inline constexpr Parameter kSession{.name = "session",
                                    .help = "id, or a unique start of it",
                                    .fallback = "the session this is called from",
                                    .may_be_empty = false,
                                    .option = "ID"};
inline constexpr Parameter kSourceProject{.name = "source_project",
                                          .help = "folder of the project to look in, when an id exists in several",
                                          .value = "DIR",
                                          .option = "--source-project,--sp,-p,--project"};
inline constexpr Parameter kOfFolder{
    .name = "source_project", .help = "only sessions of this folder", .value = "DIR", .option = kSourceProject.option};
// Beside a target, -p is the target.
inline constexpr Parameter kOnlySourceProject{
    .name = "source_project", .help = kSourceProject.help, .value = "DIR", .option = "--source-project,--sp"};
inline constexpr Parameter kTargetProject{
    .name = "target_project", .help = "folder it goes to", .value = "DIR", .option = "--target-project,--tp,-p,--project"};
inline constexpr Parameter kDryRun{"dry_run", Parameter::Type::flag, "only say what would happen"};

inline constexpr Parameter kNoTranslate{"no_translate", Parameter::Type::flag, "leave the paths of the old project as they are"};
inline constexpr Parameter kTranslate{.name = "translate",
                                      .help = "how far paths are translated",
                                      .fallback = "fields",
                                      .words = "cwd|fields|all",
                                      .against = "no_translate"};
inline constexpr Parameter kMap{
    .name = "map", .type = Parameter::Type::texts, .help = "a further path to translate; may be repeated", .value = "OLD=NEW"};

inline constexpr Parameter kForce{
    .name = "force", .type = Parameter::Type::flag, .help = "also a session that the client made itself", .option = "-f,--force"};
inline constexpr Parameter kTerminate{
    .name = "terminate", .type = Parameter::Type::flag, .help = "end the client that has it open", .option = "-t,--terminate"};
inline constexpr Parameter kNoBackup{"no_backup", Parameter::Type::flag, "keep no backup"};

inline constexpr Parameter kRedact{"redact", Parameter::Type::flag, "mask what looks like a credential"};
inline constexpr Parameter kVersion{
    .name = "version", .type = Parameter::Type::number, .help = "of what the guard has: this version", .least = 1};
inline constexpr Parameter kAsOf{.name = "as_of",
                                 .help = "of what the guard has: as it was kept then, 2026-11-01, 2026-11-01T10:00:00Z, 3d",
                                 .value = "TIME",
                                 .against = "version"};
inline constexpr Parameter kGistToken{
    .name = "gist_token", .help = "GitHub token", .fallback = "GITHUB_TOKEN, `gh auth token`", .value = "TOKEN"};

// {no_translate}, {translate} and {map}. Errors: invalid.
struct Translation {
  transcripts::PathLevel level = transcripts::PathLevel::fields;
  std::vector<std::pair<std::string, std::string>> maps;
};
Result<Translation> translation_of(const Given& given);
// {version} and {as_of}. Errors: invalid.
Result<transcripts::KeptVersion> version_of(const Given& given, Millis now);
// The {target_project}, which must be there; nullopt when it was not given.
Result<std::optional<std::string>> target_of(Context& context, const Given& given);
// Transcripts of a project (all: nullopt), newest first; of these statuses (any: none), at most so many.
Result<catalogue::Page> transcripts_of(Context& context, const std::optional<std::string>& project,
                                       std::vector<std::string> statuses, std::size_t limit);
// With {gist_token}, {gist_visibility}, {gist_description} and {force}.
transcripts::RemoteOptions remote_of(const Context& context, const Given& given);

}  // namespace holdfast::operations
