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
    decide_changes(Context&), comment_change(Context&), run_tasks(Context&), log_in_to_server(Context&),
    log_out_of_server(Context&);
std::string review_done_text(const JsonObject&, const Context&), trash_text(const JsonObject&, const Context&),
    exported_text(const JsonObject&, const Context&), runs_text(const JsonObject&, const Context&),
    cancelled_run_text(const JsonObject&, const Context&);

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

constexpr std::string_view kFolders = "documents.roots";
// Over the documents of these folders.
constexpr Command of_documents(Command command) {
  command.settings = kFolders;
  return command;
}

constexpr Command kReviewRows[] = {
    {"review",
     "accept or reject what models propose to your documents",
     review_one_by_one,
     {},
     "--documents ./handbook  the documents of this folder",
     kFolders,
     "Alone, on a terminal, it goes through all pending changes one by one."},
    of_documents(of_operation("review list", list_changes, "handbook --since 2d  of one folder")),
    of_documents(of_operation("review show", show_changes, "c_4f2 handbook/retries.md  one change, and all of a document")),
    of_documents(of_operation("review accept", decide_changes,
                              "c_4f2 c_77c  two of them\n--all --path handbook --commit  a folder, into git")),
    of_documents(of_operation("review reject", decide_changes, "--all --author claude  all of one author")),
    of_documents(
        of_operation("review comment", comment_change, "c_4f2 which version is this true of?  the model reads it there")),
    of_documents(of_operation("review undo", reviewed<review_done_text>, "  the last move")),
    of_documents(of_operation("review trash", reviewed<trash_text>, "--json  with their ids")),
    of_documents(of_operation("review restore", reviewed<review_done_text>, "t_4f2  under its former name")),
    of_documents(
        of_operation("review export", reviewed<exported_text>, "handbook/retries.md --base  as it is without what is proposed"))};

constexpr Parameter kMcpJson{"mcp_json", text, "where the MCP servers are defined", "the usual places", "FILE"};

constexpr Parameter kServerParameters[] = {needed("server", "SERVER", "its name in mcp.json"),
                                           kMcpJson,
                                           {"trust", flag, "agree to what the .mcp.json of this folder starts"}};

constexpr Command kRunRows[] = {
    {.path = "run",
     .run = run_tasks,
     .examples = "--task \"say what each file is for\" --in ./src  one task, in words\n"
                 "tasks.json --servers files,git --stop-on-error  those of a file\n"
                 "--resume  after a power cut, at the first task that has no result",
     .notes = "Goes on with --resume, when it was interrupted, at the first task that has no result. --json prints results as "
              "JSON.",
     .is_operation = true},
    of_operation("run list", reported<runs_text>, "--limit 5  the last five"),
    of_operation("run show", show_task_run, "0199c2 > report.md  as Markdown"),
    of_operation("run cancel", reported<cancelled_run_text>, "0199c2  also one of another process"),
    {"run login", "log in to one of your MCP servers", log_in_to_server, kServerParameters, "wiki  before a run needs it"},
    {"run logout", "forget that login", log_out_of_server, kServerParameters, "wiki  on this machine"}};

}  // namespace rows

constexpr CommandFamily kSessionCommands{"Sessions", rows::kSessionRows};
constexpr CommandFamily kResearchCommands{"Research and threads", rows::kResearchRows};
constexpr CommandFamily kReviewCommands{"Review of documents", rows::kReviewRows};
constexpr CommandFamily kRunCommands{"Tasks for a model", rows::kRunRows};

}  // namespace holdfast::cli
