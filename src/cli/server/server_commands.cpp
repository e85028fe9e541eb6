// The commands of servers, of the store they use and of those who may use them, as rows.

#include "cli/arguments/shared_parameters.h"

namespace holdfast::cli {

Result<void> run_mcp(Context&), run_serve(Context&), show_store(Context&), verify_store(Context&), copy_store(Context&),
    back_up_store(Context&), restore_store(Context&), salvage_store(Context&), add_token(Context&), list_tokens(Context&),
    revoke_token(Context&), print_login(Context&), print_completion(Context&), print_reference(Context&);

namespace rows {

constexpr Command kServingRows[] = {
    {"mcp",
     "MCP server on standard input and output",
     run_mcp,
     {},
     "--tools reasoning,documents --documents ./handbook  some of it",
     "root tools documents.roots documents.read_only"},
    {"serve",
     "MCP at /mcp and pages at /, over HTTP",
     run_serve,
     {},
     "  on this machine; it prints an address for the browser\n--port 8080 --no-auth  without a token, for programs of yours",
     "host port no_auth root tools documents.roots documents.read_only"}};

constexpr Parameter kCopyParameters[] = {needed("from", "FROM", "sqlite:PATH or postgres://USER@HOST/DATABASE"),
                                         needed("to", "TO", "the same, and empty")};
constexpr Parameter kBackupParameters[] = {needed("file", "FILE", "the copy; must not exist")};
constexpr Parameter kStoreRestoreParameters[] = {
    needed("file", "FILE", "what backup has made"),
    {"replace", flag, "put the store that is there aside"},
    {"with_damage", flag, "also a backup of which something is damaged: what salvage has made"}};
constexpr Parameter kSalvageParameters[] = {needed("from", "FROM", "the damaged store"),
                                            needed("file", "TO", "a file that must not exist")};
constexpr Parameter kTokenAddParameters[] = {
    {.name = "name", .help = "whose it is", .required = true, .option = "NAME"},
    {"scope", texts, "read, write, review, admin; several with commas", "read,write,review"},
    {"project", texts, "a project that it may see, DIR or URI; several times for several", "all"},
    {"team", text, "it opens the sessions of this team instead of NAME's own"},
    {"expires", text, "how long it is good: 12h, 30d, 8w, or a date", "for ever"}};
constexpr Parameter kRevokeParameters[] = {{.name = "name", .help = "the one to end", .required = true, .option = "NAME"}};
constexpr Parameter kLoginParameters[] = {
    {.name = "name", .help = "the token whose sessions are shown", .fallback = "local", .option = "--for"}};
constexpr Parameter kCompletionParameters[] = {
    {.name = "shell", .help = "bash, zsh or fish", .words = "bash|zsh|fish", .required = true, .option = "SHELL"}};
constexpr Parameter kReferenceParameters[] = {
    {.name = "page", .help = "which page", .words = "commands|tools|surfaces", .required = true, .option = "PAGE"}};

constexpr Command kStoreRows[] = {
    {"store", "look after the store"},
    {"store info", "where it is and what it holds", show_store, {}, "--store sqlite:/tmp/copy.db  of another store"},
    {"store verify", "check every session against its hashes", verify_store, {}, "--json  each that is damaged, by its id"},
    {"store copy", "everything in one store into another, empty one", copy_store, kCopyParameters,
     "sqlite:./store.db postgres://holdfast@db/holdfast  from a laptop to the team's database"},
    {"store backup", "a verified copy as of now, also while servers use the store", back_up_store, kBackupParameters,
     "/backup/holdfast-monday.db  from cron"},
    {"store restore", "make a backup the store", restore_store, kStoreRestoreParameters,
     "/backup/holdfast-monday.db --replace  what was there is put aside"},
    {"store salvage", "all that can be read of a damaged store, into a new one", salvage_store, kSalvageParameters,
     "sqlite:./store.db ./saved.db  it says what is lost"},
    {"token", "who may use the HTTP server"},
    {"token add", "make a token; it is shown once", add_token, kTokenAddParameters,
     "ann  her own sessions\nci --scope read --expires 30d  looks, changes nothing, for a month"},
    {"token list", "names of all tokens", list_tokens, {}, "--json  for a script"},
    {"token revoke", "end a token", revoke_token, kRevokeParameters, "ci  servers refuse it within seconds"},
    {"login", "print a fresh address that logs a browser in", print_login, kLoginParameters,
     "--for ann  to see the sessions of that token", "host port"},
    {"completion", "print a completion script for a shell", print_completion, kCompletionParameters,
     "bash > ~/.holdfast-completion  to be sourced by ~/.bashrc"},
    {.path = "reference",
     .summary = "print a page of docs/reference",
     .run = print_reference,
     .parameters = kReferenceParameters,
     .examples = "commands > docs/reference/commands.md  after a row has changed\n"
                 "tools > docs/reference/tools.md  after a tool has changed",
     .hidden = true}};

}  // namespace rows

constexpr CommandFamily kServing{"Servers", rows::kServingRows};
constexpr CommandFamily kStoreCommands{"The store, tokens and the shell", rows::kStoreRows};

}  // namespace holdfast::cli
