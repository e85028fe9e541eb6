// The commands over sessions that the store keeps, documents and runs of tasks, as rows.

#include "cli/arguments/shared_parameters.h"
#include "cli/sessions/review_text.h"
#include "cli/sessions/session_text.h"
#include "operations/research/research_facts.h"

#include <array>

namespace holdfast::cli {

Result<void> list_sessions(Context&), resume_session(Context&), change_session(Context&), note_session(Context&),
    export_kept_session(Context&), take_away_sessions(Context&), show_notices(Context&), clean_up(Context&),
    start_research(Context&), resume_research(Context&), show_research_status(Context&), cancel_research(Context&),
    show_report(Context&), list_research(Context&), show_providers(Context&), chat(Context&), think_deep(Context&),
    ideate(Context&), find_consensus(Context&), open_research(Context&), review_one_by_one(Context&), show_changes(Context&),
    decide_changes(Context&), comment_change(Context&), undo_document_move(Context&), list_trash(Context&),
    restore_document(Context&), export_document(Context&), run_tasks(Context&), list_runs(Context&), cancel_task_run(Context&),
    log_in_to_server(Context&), log_out_of_server(Context&);

namespace rows {

constexpr Parameter kSessionsListParameters[] = {
    {.name = "filter", .type = texts, .help = "the same as words: type=research completed=true", .option = "FILTER"},
    {"type", texts, "only this kind of session; may be repeated"},
    {"kind", texts, "only this kind, of sessions or of threads; may be repeated"},
    {"status", texts, "only this status; may be repeated"},
    {.name = "q", .help = "part of title, description, opening or tags", .option = "--search,--q"},
    {"completed", flag, "research that is completed"},
    {"pinned", flag, "only those"},
    {"archived", flag, "those that are archived"},
    {"deleted", flag, "those that are deleted and not purged yet"},
    {"visibility", texts, "live, archived or deleted; may be repeated"},
    {"project", text, "only of this project"},
    {"since", text, "changed at this time or later: 3d, 2026-07-01", {}, "TIME"},
    {"before", text, "changed before this time: 3d, 2026-07-01", {}, "TIME"},
    one_of("sort", "updated_at|created_at|due_at", "order", "updated_at"),
    limit("20"),
    {"cursor", text, "next_cursor of the page before"}};
constexpr Parameter kSessionsShowParameters[] = {kSession,
                                                 limit("50", 5000, "the last N entries"),
                                                 {"graph", flag, "a reasoning session as a drawing: branches and revisions"},
                                                 {"svg", flag, "the same as a picture, on standard output"}};
constexpr Parameter kSessionsDeleteParameters[] = {kSessions, kYes};
constexpr Parameter kSessionsPurgeParameters[] = {kSession, kYes};
constexpr Parameter kSessionsRedactParameters[] = {kSession,
                                                   {"entry", texts, "a message or source, by its id; may be repeated"},
                                                   {"pattern", text, "this text, wherever it stands"},
                                                   {"regex", flag, "the pattern is an RE2 expression"},
                                                   kYes};
constexpr Parameter kNoticesParameters[] = {{"all", flag, "also those that were acknowledged"},
                                            {"ack", flag, "acknowledge them"}};
constexpr Parameter kSessionsExportParameters[] = {
    kSession, {.name = "format", .help = "markdown or json", .fallback = "markdown", .option = "-f,--format"}};
constexpr Parameter kCleanupParameters[] = {kDryRun};
constexpr Parameter kBriefParameters[] = {
    {.name = "session", .help = "this session", .fallback = "the project's most recent", .option = "ID"},
    bounded("max_chars", "at most so many characters", "4000", 200, 1'000'000),
    {"quiet", flag, "print nothing when there is no session; for hooks"}};

constexpr Command kSessionRows[] = {
    {"sessions", "look at sessions of every kind, and look after them"},
    view_of("sessions list", {"sessions list", "newest first", list_sessions, kSessionsListParameters,
                              "--type research --completed --since 7d  what was found out this week\n"
                              "kind=thread pinned=true  the same filters as words",
                              "root"}),
    view_of("sessions get",
            {"sessions show", "one session and its entries", show_session, kSessionsShowParameters,
             "0199c2 --limit 10  the last ten entries\n0199c2 --svg > thoughts.svg  a line of reasoning as a picture"}),
    view_of("thread resume", {"sessions resume", "where it stands: last messages, status, report", resume_session,
                              kJustOneSession, "0199c2  before going on with it"}),
    of_operation("sessions update", change_session,
                 "0199c2 --title 'Retries of the importer' --add-tags importer  another name, and a word to find it by"),
    of_operation("sessions archive", change_session, "0199c2  lists leave it out"),
    of_operation("sessions unarchive", change_session, "0199c2  lists have it again"),
    of_operation("sessions restore", change_session, "0199c2  until it is purged"),
    of_operation("sessions pin", change_session, "0199c2  no clock counts for it"),
    of_operation("sessions unpin", change_session, "0199c2  from now on"),
    view_of("sessions delete", {"sessions delete", "after asking; it can be restored", take_away_sessions,
                                kSessionsDeleteParameters, "0199c2 0199d4  two at once"}),
    view_of("sessions purge", {"sessions purge", "erase for good, after asking", take_away_sessions, kSessionsPurgeParameters,
                               "0199c2  what is deleted already, before its time"}),
    view_of("sessions redact",
            {"sessions redact", "take text out for good, after asking", take_away_sessions, kSessionsRedactParameters,
             "0199c2 --pattern 'sk-[a-z0-9]{20,}' --regex  keys that somebody pasted"}),
    view_of("sessions notices", {"sessions notices", "what will happen by itself, and when", show_notices, kNoticesParameters,
                                 "--ack  and be told no more of it"}),
    view_of("thread export", {"sessions export", "as a document, on standard output", export_kept_session,
                              kSessionsExportParameters, "0199c2 > reasoning.md  to read elsewhere"}),
    of_operation("note", note_session,
                 "0199c2 'ask Ada about the retries'  info, pages and models show it with the session\n"
                 "0199c2  lists the notes, with the ids that --remove takes"),
    view_of("cleanup", {"cleanup", "archive, delete and erase what is due", clean_up, kCleanupParameters,
                        "--dry-run  what would go, and when"}),
    view_of("reasoning brief", {"brief", "goal, decisions, open questions and last thoughts of this project", print_brief,
                                kBriefParameters, "--quiet --max-chars 2000  in a hook that begins a session", "root"})};

constexpr Parameter kEndpoint{"provider", text, "the model endpoint to ask"};
constexpr Parameter kThread{"thread", text, "go on with this thread", {}, "ID"};
constexpr Parameter kNewTitle{"title", text, "of a new thread"};
constexpr Parameter kSystemPrompt{"system", text, "system prompt of a new thread"};
constexpr Parameter words_to_say(std::string_view help, bool required) {
  return {.name = "words", .type = texts, .help = help, .required = required, .option = "WORDS"};
}

constexpr std::array kQuestionParameters{needed("query", "QUESTION", "what you want to know", texts),
                                         Parameter{"corpus", texts, "look into this folder; may be repeated", {}, "DIR"},
                                         Parameter{"detach", flag, "leave the work to a running server"},
                                         Parameter{"title", text, "what it is called"},
                                         Parameter{"mode", text, "general, academic or technical", "general"},
                                         Parameter{"search", texts, "only this provider; may be repeated"},
                                         kEndpoint,
                                         Parameter{"no_links", flag, "do not read the pages that a search found"}};
constexpr auto kStartParameters = joined(kQuestionParameters, operations::kLimitParameters);

constexpr Parameter kReportParameters[] = {kSession,
                                           one_of("format", "markdown|json", "how it is printed", "markdown", "-f,--format")};
constexpr Parameter kResearchListParameters[] = {limit("20"), {"completed", flag, "runs that are completed"}};
constexpr Parameter kChatParameters[] = {
    words_to_say("the message; - reads standard input", true), kThread, kEndpoint, kNewTitle, kSystemPrompt,
    {"model", text, "instead of the endpoint's own"}};
constexpr Parameter kThinkParameters[] = {
    words_to_say("the topic, or what to look at next", false), kThread, kEndpoint,
    bounded("max_depth", "steps until it ends", "5", std::numeric_limits<std::int64_t>::min())};
constexpr Parameter kIdeateParameters[] = {
    words_to_say("the topic", false),
    kThread,
    kEndpoint,
    {"action", text, "generate, cluster, score, select, elaborate or status", "generate"},
    {.name = "perspectives", .type = texts, .help = "may be repeated", .option = "--perspective"}};
constexpr Parameter kConsensusParameters[] = {
    words_to_say("the question", true),
    kThread,
    kNewTitle,
    kSystemPrompt,
    {.name = "providers", .type = texts, .help = "an endpoint to ask; may be repeated", .fallback = "all", .option = "--with"},
    {"strategy", text, "all_responses, synthesize, majority or first_valid", "synthesize"}};
constexpr Parameter kOpenParameters[] = {
    kSession, {.name = "words", .type = texts, .help = "a message", .may_be_empty = false, .option = "WORDS"}};

constexpr Command kResearchRows[] = {
    {.path = "research",
     .summary = "ask a question of your documents and past sessions; talk to a model",
     .notes = "holdfast research ID [WORDS]: goes on with a thread, or shows how a run stands and its report"},
    view_of("deep-research start", {"research start", "answer a question, with sources", start_research, kStartParameters,
                                    "how do retries work? --corpus ./docs  a cited report, without network or model\n"
                                    "\"what did we decide about Redis?\" --detach  a running server works on it"}),
    view_of("deep-research resume", {"research resume", "go on with a run that was interrupted", resume_research, kJustOneSession,
                                     "research-7c  nothing is asked twice"}),
    view_of("deep-research status",
            {"research status", "how a run stands", show_research_status, kJustOneSession, "research-7c  phase, sources, calls"}),
    view_of("deep-research cancel", {"research cancel", "end a run; what it found stays", cancel_research, kJustOneSession,
                                     "research-7c  resume takes it up"}),
    view_of("deep-research report", {"research report", "what a run found, on standard output", show_report, kReportParameters,
                                     "research-7c > report.md  with its sources"}),
    view_of("sessions list", {"research list", "threads and runs, newest first", list_research, kResearchListParameters,
                              "--completed  reports to read"}),
    {"research providers", "which models and search providers there are", show_providers, {}, "--json  for a script"},
    view_of("chat", {"research chat", "say something to a model; the thread is kept", chat, kChatParameters,
                     "explain this backtrace --title Crash  a new thread\n- --thread thread-4f < question.txt  from a file"}),
    view_of("thinkdeep", {"research thinkdeep", "one step of an investigation", think_deep, kThinkParameters,
                          "why is the first request slow?  the first step; it says how the next one begins"}),
    view_of("ideate", {"research ideate", "ideas: generate, cluster, score, select", ideate, kIdeateParameters,
                       "names for the tool --perspective newcomer  then --action cluster with --thread"}),
    view_of("consensus", {"research consensus", "ask several models and compare", find_consensus, kConsensusParameters,
                          "tabs or spaces? --with one --with two --strategy majority  two endpoints"}),
    {.path = "research open",
     .summary = "a thread or a run",
     .run = open_research,
     .parameters = kOpenParameters,
     .examples = "thread-4f and what of IPv6?  the same without the word open",
     .hidden = true,
     .operation = "chat"}};

// A filter that a script left empty must not mean everything.
constexpr Parameter kAuthor{.name = "author", .help = "only of this author, as list shows it", .may_be_empty = false};
constexpr Parameter kMadeSince{.name = "since",
                               .help = "only made since then: 3d, 2026-07-01, 2026-07-01T10:00:00Z",
                               .value = "WHEN",
                               .may_be_empty = false};

constexpr Parameter kReviewListParameters[] = {optional("path", "PATH", "only in this document or folder"), kAuthor, kMadeSince};
constexpr Parameter kReviewShowParameters[] = {
    needed("what", "WHAT", "ids of changes (unique starts are enough), or paths of documents", texts)};
constexpr Parameter kVerdictParameters[] = {
    {.name = "change", .type = texts, .help = "ids of changes, or unique starts of them", .may_be_empty = false, .option = "ID"},
    {"all", flag, "all of them, or all that the filters leave"},
    {.name = "path", .help = "only in this document or folder", .may_be_empty = false},
    kAuthor,
    kMadeSince,
    {"commit", flag, "commit documents with git, in your name, when nothing in them is pending any more"}};
constexpr Parameter kCommentParameters[] = {needed("change", "ID", "the change, or a unique start of its id"),
                                            needed("text", "TEXT", "what to say", texts)};
constexpr Parameter kUndoParameters[] = {optional("move", "ID", "which move, as move told it", "the last that was not undone")};
constexpr Parameter kTrashedParameters[] = {needed("trashed", "ID", "as trash lists it")};
constexpr Parameter kReviewExportParameters[] = {
    needed("path", "PATH", "the document"),
    {"accepted", flag, "with every pending change", "this"},
    {.name = "base", .type = flag, .help = "without pending changes", .against = "accepted"}};

constexpr std::string_view kFolders = "documents.roots";

constexpr Command kReviewRows[] = {
    {"review",
     "accept or reject what models propose to your documents",
     review_one_by_one,
     {},
     "--documents ./handbook  the documents of this folder",
     kFolders,
     "Alone, on a terminal, it goes through all pending changes one by one."},
    {"review list", "changes that wait for you", list_changes, kReviewListParameters, "handbook --since 2d  of one folder",
     kFolders},
    {"review show", "both sides of changes, with what stands around them", show_changes, kReviewShowParameters,
     "c_4f2 handbook/retries.md  one change, and all of a document", kFolders},
    {"review accept", "make changes final", decide_changes, kVerdictParameters,
     "c_4f2 c_77c  two of them\n--all --path handbook --commit  a folder, into git", kFolders},
    {"review reject", "take changes out again", decide_changes, kVerdictParameters, "--all --author claude  all of one author",
     kFolders},
    {"review comment", "say something about a change, in the document", comment_change, kCommentParameters,
     "c_4f2 which version is this true of?  the model reads it there", kFolders},
    {"review undo", "move a document or folder back", undo_document_move, kUndoParameters, "  the last move", kFolders},
    {"review trash", "documents that were deleted or refused", list_trash, {}, "--json  with their ids", kFolders},
    {"review restore", "bring a document back out of the trash", restore_document, kTrashedParameters,
     "t_4f2  under its former name", kFolders},
    {"review export", "a document without markup, on standard output", export_document, kReviewExportParameters,
     "handbook/retries.md --base  as it is without what is proposed", kFolders}};

constexpr std::int64_t kWeek = 7 * 86'400;  // seconds
constexpr Parameter kMcpJson{"mcp_json", text, "where the MCP servers are defined", "the usual places", "FILE"};

constexpr Parameter kRunParameters[] = {
    {.name = "tasks", .help = "a file of tasks (docs/runner.md); - reads standard input", .option = "TASKS"},
    {"task", texts, "a task in words; may be repeated", {}, "TEXT"},
    {.name = "folders",
     .type = texts,
     .help = "the folder to work in; may be repeated",
     .fallback = "this one",
     .value = "DIR",
     .option = "--in"},
    {.name = "servers",
     .type = texts,
     .help = "MCP servers to use, by name",
     .fallback = "all that are configured",
     .value = "LIST",
     .divided = true},
    {"model", text, "instead of the endpoint's own"},
    bounded("timeout", "seconds for each task", "600", 1, kWeek),
    bounded("max_rounds", "answers of the model for each task", "100", 1, 10'000),
    bounded("call_timeout", "seconds for each call of a tool, without an answer or progress", "60", 1, kWeek),
    bounded("max_result", "bytes of each result that the model is shown", "65536", 1024, 4 * 1024 * 1024),
    bounded("max_calls", "calls in one answer of the model", "64", 1, 1000),
    {"stop_on_error", flag, "skip the rest when a task does not end well"},
    kMcpJson,
    {"trust", flag, "agree to what the .mcp.json of this folder starts, as it is now; alone: only that"},
    {.name = "resume",
     .help = "go on with a run",
     .fallback = "the newest that is not finished",
     .value = "ID",
     .value_may_be_left_out = true}};
constexpr Parameter kRunListParameters[] = {limit("20")};
constexpr Parameter kServerParameters[] = {needed("server", "SERVER", "its name in mcp.json"),
                                           kMcpJson,
                                           {"trust", flag, "agree to what the .mcp.json of this folder starts"}};

constexpr Command kRunRows[] = {
    {"run",
     "let a model work through tasks, with the tools of your MCP servers",
     run_tasks,
     kRunParameters,
     "--task \"say what each file is for\" --in ./src  one task, in words\n"
     "tasks.json --servers files,git --stop-on-error  those of a file\n"
     "--resume  after a power cut, at the first task that has no result",
     {},
     "Goes on with --resume, when it was interrupted, at the first task that has no result. --json prints results as JSON."},
    {"run list", "runs, newest first", list_runs, kRunListParameters, "--limit 5  the last five"},
    {"run show", "tasks and results of a run", show_task_run, kJustOneSession, "0199c2 > report.md  as Markdown"},
    {"run cancel", "end a run; what is done stays", cancel_task_run, kJustOneSession, "0199c2  also one of another process"},
    {"run login", "log in to one of your MCP servers", log_in_to_server, kServerParameters, "wiki  before a run needs it"},
    {"run logout", "forget that login", log_out_of_server, kServerParameters, "wiki  on this machine"}};

}  // namespace rows

constexpr CommandFamily kSessionCommands{"Sessions", rows::kSessionRows};
constexpr CommandFamily kResearchCommands{"Research and threads", rows::kResearchRows};
constexpr CommandFamily kReviewCommands{"Review of documents", rows::kReviewRows};
constexpr CommandFamily kRunCommands{"Tasks for a model", rows::kRunRows};

}  // namespace holdfast::cli
