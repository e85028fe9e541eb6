// The commands over transcripts, what the guard keeps of them, and search, as rows.

#include "cli/arguments/shared_parameters.h"

#include <array>

namespace holdfast::cli {

Result<void> list_transcripts(Context&), show_transcript(Context&), archive_transcript(Context&), restore_transcript(Context&),
    export_any_session(Context&), clone_transcript(Context&), move_transcript(Context&), delete_transcript(Context&),
    relocate_transcripts(Context&), show_lineage(Context&), export_lineage(Context&), verify_transcript(Context&),
    examine_transcripts(Context&), print_schema(Context&), import_thoughtbox(Context&), import_lineage(Context&),
    guard_transcripts(Context&), list_guarded(Context&), show_guarded(Context&), print_guarded(Context&),
    forget_guarded(Context&), show_guard_status(Context&), check_guard(Context&), search_everything(Context&),
    trace_file(Context&), update_index(Context&);

namespace rows {

constexpr Parameter kScope{.name = "source_project",
                           .help = "only sessions of this folder",
                           .value = "DIR",
                           .option = "--source-project,--sp,-p,--project"};
constexpr Parameter kLaunch{.name = "launch", .type = flag, .help = "resume it at once", .option = "-l,--launch"};
constexpr Parameter kLaunchArguments{.name = "launch_arguments",
                                     .type = texts,
                                     .help = "words for the client that {launch} starts",
                                     .value = "WORDS",
                                     .option = "--"};
constexpr Parameter kRedact{"redact", flag, "mask what looks like a credential"};

// What a command that can start the client takes beside its operation.
constexpr Parameter kLaunching[] = {kLaunch, kLaunchArguments};

constexpr Parameter kListParameters[] = {kScope,
                                         {.name = "all",
                                          .type = flag,
                                          .help = "of every project, of Codex, and those that only the guard has",
                                          .against = "source_project"},
                                         {"kept", flag, "those that only the guard has: the client deleted them"},
                                         limit("20", 100'000)};

constexpr Parameter kInfoParameters[] = {operations::kSession,
                                         kScope,
                                         one_of("format", "text|json", "how it is printed", "text", "-f,--format"),
                                         {"cost", flag, "what that costs, by the table in prices.json"}};

constexpr Parameter kExportParameters[] = {
    operations::kSession,
    kScope,
    {.name = "all", .type = flag, .help = "all transcripts, into a folder with an index", .against = "source_project"},
    one_of("format", "html|md|json", "what it becomes", "by the name of the output, else html", "-f,--format"),
    {.name = "output",
     .help = "a file, - (standard output), or a folder for several",
     .fallback = "./ID.html",
     .option = "-o,--output"},
    {"detailed", flag, "Markdown: also tools and thinking"},
    {"subagents", flag, "also the conversations of subagents"},
    {"all_branches", flag, "every line in the order of the file, not only the current branch"},
    kVersion,
    kAsOf,
    kRedact};

constexpr Parameter kLineageParameters[] = {operations::kSession, kScope,
                                            one_of("format", "text|tree|json", "how it is printed", "text", "-f,--format")};
constexpr Parameter kFamilyExportParameters[] = {operations::kSession, kScope};

constexpr Parameter kVerifyParameters[] = {
    optional("what", "WHAT", "an archive as restore takes it, or the id of a session", "the session this runs in"),
    kScope,
    {"drift", flag, "what holds records that this version does not know"},
    kGistToken};

constexpr Parameter kDoctorParameters[] = {kScope,
                                           {"quick", flag, "names and times only; no transcript is read"},
                                           bounded("days", "warn of what will be cleaned up within N days", "7", 1, 3650),
                                           {"fix", flag, "repaired copies beside damaged sessions; ends what died half-way"}};

constexpr Parameter kThoughtboxParameters[] = {needed("folder", "FOLDER", "~/.thoughtbox, or one project or session of it")};
constexpr Parameter kImportLineageParameters[] = {needed("file", "PATH", "the file")};

constexpr Command kTranscriptRows[] = {
    {"list", "transcripts of this folder's project, newest first", list_transcripts, kListParameters,
     "--all --limit 50  the newest of all projects"},
    {"info", "one transcript: files, state, family, what it used", show_transcript, kInfoParameters,
     "4f2a --cost  also what its tokens cost"},
    of_operation("archive", archive_transcript,
                 "4f2a ./work.json.zst  into a file; restore brings it back\n"
                 "4f2a gist:// --redact  to another machine, without known credentials"),
    of_operation("restore", restore_transcript,
                 "./work.json.zst --launch  a copy in this folder, and go on with it\n"
                 "4f2a --in-place  what the client deleted and the guard has, where it was",
                 kLaunching),
    {"export", "any session as a document: HTML, Markdown or JSON", export_any_session, kExportParameters,
     "4f2a  one HTML file, to read in a browser or to send\n"
     "--all --output ./all-sessions  every transcript, with an index"},
    of_operation("clone", clone_transcript, "4f2a --target-project ../other --launch  try something else, elsewhere", kLaunching),
    of_operation("move", move_transcript, "4f2a --target-project ~/work/app --force --dry-run  what would be moved", kLaunching),
    of_operation("delete", delete_transcript, "4f2a --force  says how to undo it"),
    of_operation("relocate", relocate_transcripts, "~/old-name ~/new-name  shows what it will do, and asks"),
    {"lineage", "where a session came from and what came of it", show_lineage, kLineageParameters,
     "4f2a --format tree  the family as a drawing"},
    {"lineage export", "the same in claude-session's own form", export_lineage, kFamilyExportParameters,
     "4f2a  to standard output"},
    {"verify", "is an archive or a session whole?", verify_transcript, kVerifyParameters,
     "./work.json.zst  before the original is deleted\n"
     "--drift  in all sessions: records that are new to this version"},
    {"doctor", "what is wrong, or soon will be, with the transcripts", examine_transcripts, kDoctorParameters,
     "--days 14  also what the client removes within two weeks\n"
     "--fix  repaired copies beside what is damaged"},
    {"schema", "the records this version knows, as JSON Schema", print_schema, {}, "> records.schema.json  for a validator"}};

constexpr Command kImportRows[] = {
    {"import", "take over what other programs kept"},
    {"import thoughtbox", "reasoning sessions of a Thoughtbox data folder", import_thoughtbox, kThoughtboxParameters,
     "~/.thoughtbox --root ~/work/app  as sessions of that project", "root"},
    {"import lineage", "claude-session's lineage.json", import_lineage, kImportLineageParameters,
     "~/.claude/lineage.json  families of sessions that are known there"}};

constexpr std::string_view kOneWayAlone = "watch|hook|install|uninstall|install_hook";

constexpr Parameter kGuardParameters[] = {
    {.name = "watch", .type = flag, .help = "go on and keep what is written as it is written", .against = kOneWayAlone},
    {.name = "hook",
     .type = flag,
     .help = "keep the session a hook of Claude Code tells on standard input",
     .against = kOneWayAlone},
    {.name = "install", .type = flag, .help = "as a service of systemd that runs from now on", .against = kOneWayAlone},
    {.name = "uninstall", .type = flag, .help = "no longer; what was kept stays", .against = kOneWayAlone},
    {.name = "install_hook", .type = flag, .help = "print the hook to add to Claude Code's settings", .against = kOneWayAlone}};
constexpr Parameter kGuardListParameters[] = {{"gone", flag, "only those whose original is gone"}};
constexpr Parameter kGuardShowParameters[] = {kSession, kVersion, kAsOf};
constexpr Parameter kGuardCatParameters[] = {
    kSession,
    {.name = "file", .help = "a file of it", .fallback = "the transcript", .option = "FILE"},
    {"partial", flag, "of a damaged file what is left of it; says what is not"},
    kVersion,
    kAsOf};
constexpr Parameter kGuardForgetParameters[] = {kSessions, kYes};

constexpr Command kGuardRows[] = {
    {"guard", "keep all transcripts, so that nothing a client deletes is lost", guard_transcripts, kGuardParameters,
     "  keep what is there, once\n--install  keep it from now on, as a service"},
    {"guard list", "sessions that are kept", list_guarded, kGuardListParameters,
     "--gone  what the client has deleted, and restore brings back"},
    {"guard show", "the files of a session that is kept, and their versions", show_guarded, kGuardShowParameters,
     "4f2a --as-of 3d  as it was three days ago"},
    {"guard cat", "a kept file on standard output", print_guarded, kGuardCatParameters,
     "4f2a > session.jsonl  the transcript, byte for byte"},
    {"guard forget", "take sessions out of the guard for good, after asking", forget_guarded, kGuardForgetParameters,
     "4f2a 77c0  two of them"},
    {"guard status", "how much is kept, and what it takes", show_guard_status, {}, "--json  for a script that watches the disk"},
    {"guard verify", "read everything that is kept and compare its hashes", check_guard, {}, "  once a month, say"},
    {"guard repair",
     "set aside what is damaged, to be taken again",
     check_guard,
     {},
     "  after verify has found damage; then run guard"}};

constexpr Parameter kSearchProject{
    .name = "project", .help = "only sessions of this folder", .value = "DIR", .option = "-p,--project"};
constexpr Parameter kFoundSince{"since", text, "not before this time: 2026-07-01, 3d, 2w", {}, "TIME"};
constexpr Parameter kFoundUntil{.name = "until", .help = "before this time", .value = "TIME", .option = "--until,--before"};
constexpr Parameter kBranch{"branch", text, "only on this git branch"};
constexpr Parameter kTool{"tool", text, "only calls of this tool"};
constexpr Parameter kAnswerModel{"model", text, "only answers of this model; a part of its name will do"};
constexpr Parameter kRole{"role", texts, "user, assistant, thinking, tool_call, tool_result, system or title"};
constexpr Parameter kInSession{"session", text, "only in this session"};
constexpr Parameter kNewest{"newest", flag, "newest first, not best first"};
constexpr Parameter kPlaces = bounded("per_session", "places of one session", "3", 1, 1000);
constexpr Parameter kNoIndex{"no_index", flag, "do not bring the index up to date first; what is new is scanned"};

// By what both of them choose.
constexpr std::array kFoundBy{kSearchProject, kFoundSince, kFoundUntil, kBranch, kTool,
                              kAnswerModel,   kRole,       kInSession,  kNewest, limit("10", 1000, "how many sessions"),
                              kPlaces,        kNoIndex};
constexpr auto kSearchParameters =
    joined(std::array{Parameter{.name = "query",
                                .type = texts,
                                .help = "words, word*, *inside*, \"a phrase\", -without, code as it stands",
                                .option = "TEXT"},
                      Parameter{"without", texts, "not these words; the same as -word"}},
           kFoundBy,
           std::array{Parameter{"kind", texts, "transcript, reasoning, thread, research, document, run; may be repeated"},
                      Parameter{"file", text, "only where a tool touched this file"}});
constexpr auto kTraceParameters = joined(
    std::array{Parameter{.name = "file", .help = "its path, or the end of it", .required = true, .option = "FILE"}}, kFoundBy);
constexpr Parameter kIndexParameters[] = {{"status", flag, "only say how far it is"}, {"rebuild", flag, "throw it away first"}};

constexpr Command kSearchRows[] = {
    {"search", "words, phrases and code in every session of every kind", search_everything, kSearchParameters,
     "CORS preflight --since 30d  both words in one message\n"
     "kelp -wharf  the one without the other\n"
     "src/retry.cpp --tool Edit --newest  who edited it last"},
    {"trace", "which sessions touched a file", trace_file, kTraceParameters, "src/retry.cpp  newest first"},
    {"index", "bring the search index up to date; searching does so by itself", update_index, kIndexParameters,
     "--status  how much is indexed, and what that takes"}};

}  // namespace rows

constexpr CommandFamily kTranscriptCommands{"Transcripts", rows::kTranscriptRows};
constexpr CommandFamily kImportCommands{"Other programs", rows::kImportRows};
constexpr CommandFamily kGuardCommands{"Guard", rows::kGuardRows};
constexpr CommandFamily kSearchCommands{"Search", rows::kSearchRows};

}  // namespace holdfast::cli
