// The commands over transcripts, what the guard keeps of them, and search, as rows.

#include "cli/arguments/shared_parameters.h"
#include "cli/transcripts/transcript_work.h"

#include <array>

namespace holdfast::cli {

using operations::Facts;

Result<void> archive_transcript(Context&), restore_transcript(Context&), clone_transcript(Context&), move_transcript(Context&),
    delete_transcript(Context&), relocate_transcripts(Context&), show_transcript(Context&), show_lineage(Context&),
    export_lineage(Context&), verify_transcript(Context&), examine_transcripts(Context&), export_any_session(Context&),
    print_schema(Context&), import_thoughtbox(Context&), guard_transcripts(Context&), print_guarded(Context&),
    check_guard(Context&);
std::string list_text(const Facts&, const Context&), import_lineage_text(const Facts&, const Context&),
    guard_list_text(const Facts&, const Context&), guard_show_text(const Facts&, const Context&),
    guard_forget_text(const Facts&, const Context&), guard_status_text(const Facts&, const Context&),
    search_text(const Facts&, const Context&), index_text(const Facts&, const Context&);

namespace rows {

// What a command takes beside its operation: those that can start the client, and those that print in several ways.
constexpr Parameter kLaunching[] = {{.name = "launch", .type = flag, .help = "resume it at once", .option = "-l,--launch"},
                                    {.name = "launch_arguments",
                                     .type = texts,
                                     .help = "words for the client that {launch} starts",
                                     .value = "WORDS",
                                     .option = "--"}};
constexpr Parameter kInfoFormat[] = {one_of("format", "text|json", "how it is printed", "text", "-f,--format")};
constexpr Parameter kFamilyFormat[] = {one_of("format", "text|tree|json", "how it is printed", "text", "-f,--format")};

constexpr Command kTranscriptRows[] = {
    of_operation("list", shown<list_text>, "--all --limit 50  the newest of all projects"),
    of_operation("info", show_transcript, "4f2a --cost  also what its tokens cost", kInfoFormat),
    of_operation("archive", archive_transcript,
                 "4f2a ./work.json.zst  into a file; restore brings it back\n"
                 "4f2a gist:// --redact  to another machine, without known credentials"),
    of_operation("restore", restore_transcript,
                 "./work.json.zst --launch  a copy in this folder, and go on with it\n"
                 "4f2a --in-place  what the client deleted and the guard has, where it was",
                 kLaunching),
    of_operation("export", export_any_session,
                 "4f2a  one HTML file, to read in a browser or to send\n"
                 "--all --output ./all-sessions  every transcript, with an index"),
    of_operation("clone", clone_transcript, "4f2a --target-project ../other --launch  try something else, elsewhere", kLaunching),
    of_operation("move", move_transcript, "4f2a --target-project ~/work/app --force --dry-run  what would be moved", kLaunching),
    of_operation("delete", delete_transcript, "4f2a --force  says how to undo it"),
    of_operation("relocate", relocate_transcripts, "~/old-name ~/new-name  shows what it will do, and asks"),
    of_operation("lineage", show_lineage, "4f2a --format tree  the family as a drawing", kFamilyFormat),
    of_operation("lineage export", export_lineage, "4f2a  to standard output"),
    of_operation("verify", verify_transcript,
                 "./work.json.zst  before the original is deleted\n"
                 "--drift  in all sessions: records that are new to this version"),
    of_operation("doctor", examine_transcripts,
                 "--days 14  also what the client removes within two weeks\n"
                 "--fix  repaired copies beside what is damaged"),
    {"schema", "the records this version knows, as JSON Schema", print_schema, {}, "> records.schema.json  for a validator"}};

constexpr Command kImportRows[] = {
    {"import", "take over what other programs kept"},
    of_operation("import thoughtbox", import_thoughtbox, "~/.thoughtbox --root ~/work/app  as sessions of that project"),
    of_operation("import lineage", shown<import_lineage_text>,
                 "~/.claude/lineage.json  families of sessions that are known there")};

constexpr std::string_view kOneWayAlone = "watch|hook|install|uninstall|install_hook";

constexpr Parameter kGuardWays[] = {
    {.name = "watch", .type = flag, .help = "go on and keep what is written as it is written", .against = kOneWayAlone},
    {.name = "hook",
     .type = flag,
     .help = "keep the session a hook of Claude Code tells on standard input",
     .against = kOneWayAlone},
    {.name = "install", .type = flag, .help = "as a service of systemd that runs from now on", .against = kOneWayAlone},
    {.name = "uninstall", .type = flag, .help = "no longer; what was kept stays", .against = kOneWayAlone},
    {.name = "install_hook", .type = flag, .help = "print the hook to add to Claude Code's settings", .against = kOneWayAlone}};

constexpr Command kGuardRows[] = {
    of_operation("guard", guard_transcripts, "  keep what is there, once\n--install  keep it from now on, as a service",
                 kGuardWays),
    of_operation("guard list", shown<guard_list_text>, "--gone  what the client has deleted, and restore brings back"),
    of_operation("guard show", shown<guard_show_text>, "4f2a --as-of 3d  as it was three days ago"),
    of_operation("guard cat", print_guarded, "4f2a > session.jsonl  the transcript, byte for byte"),
    of_operation("guard forget", shown<guard_forget_text>, "4f2a 77c0  two of them"),
    of_operation("guard status", shown<guard_status_text>, "--json  for a script that watches the disk"),
    of_operation("guard verify", check_guard, "  once a month, say"),
    of_operation("guard repair", check_guard, "  after verify has found damage; then run guard")};

constexpr Command kSearchRows[] = {
    of_operation("search", shown<search_text>,
                 "CORS preflight --since 30d  both words in one message\n"
                 "kelp -wharf  the one without the other\n"
                 "src/retry.cpp --tool Edit --newest  who edited it last"),
    of_operation("trace", shown<search_text>, "src/retry.cpp  newest first"),
    of_operation("index", shown<index_text>, "--status  how much is indexed, and what that takes")};

}  // namespace rows

constexpr CommandFamily kTranscriptCommands{"Transcripts", rows::kTranscriptRows};
constexpr CommandFamily kImportCommands{"Other programs", rows::kImportRows};
constexpr CommandFamily kGuardCommands{"Guard", rows::kGuardRows};
constexpr CommandFamily kSearchCommands{"Search", rows::kSearchRows};

}  // namespace holdfast::cli
