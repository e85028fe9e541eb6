#include "reading/html/turn_style.h"

namespace holdfast::reading {

Markup turn_style() {
  return R"css(
.turn { background: var(--card); border: 1px solid var(--line); border-left: .3rem solid var(--edge); border-radius: .4rem; padding: .6rem 1rem; margin: .75rem 0; overflow-wrap: anywhere; }
.turn:target, .turn:has(:target), .turn:focus { outline: 3px solid var(--focus); outline-offset: 1px; }
.turn.user { border-left-color: var(--link); }
.turn.assistant { border-left-color: var(--good); }
.turn.error, .turn.damaged { border-left-color: var(--bad); }
.turn.meta { background: var(--sunk); }
.turn.compaction { border-style: dashed; }
.turn.sidechain { margin-left: 1.5rem; }
.turn > header { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; font-size: .875rem; }
.turn > header h3 { margin: 0; font-size: .95rem; }
.turn > header time { margin-left: auto; color: var(--soft); }
.turn .anchor { color: var(--soft); }
.turn .text { unicode-bidi: isolate; }
.turn .text > :first-child { margin-top: .35rem; }
.turn .text > :last-child { margin-bottom: .35rem; }
.turn pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 40rem; overflow: auto; background: var(--sunk); border-radius: .3rem; padding: .5rem .75rem; margin: .4rem 0; unicode-bidi: isolate; }
.turn .text pre { max-height: none; }
.turn code { unicode-bidi: isolate; }
.turn details { margin: .35rem 0; }
.turn details > summary { cursor: pointer; overflow-wrap: anywhere; }
.turn details.tool { border: 1px solid var(--line); border-radius: .3rem; padding: .25rem .6rem; }
.turn details.failed { border-color: var(--bad); }
.turn table { border-collapse: collapse; display: block; overflow-x: auto; }
.turn th, .turn td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left; }
.turn blockquote { margin: .4rem 0; padding-left: .8rem; border-left: .2rem solid var(--line); }
.turn img { max-width: 100%; height: auto; border: 1px solid var(--line); }
.turn .diff pre ins { display: block; background: var(--good-ground); color: var(--good); text-decoration: none; }
.turn .diff pre del { display: block; background: var(--bad-ground); color: var(--bad); text-decoration: none; }
.turn figure { margin: .4rem 0; }
.turn figcaption { font-size: .875rem; color: var(--soft); }
.turn .todos { list-style: none; padding-left: .25rem; margin: .3rem 0; }
.turn .todos .done { color: var(--soft); }
.turn .todos .now { font-weight: 600; }
.turn .cut, .turn .soft { color: var(--soft); font-size: .875rem; }
.turn .badge { border: 1px solid var(--edge); border-radius: 1rem; padding: 0 .5rem; font-size: .8rem; }
.turn .badge.failed { border-color: var(--bad); color: var(--bad); }
.turn .forks { font-size: .875rem; border-top: 1px dashed var(--line); margin-top: .5rem; padding-top: .35rem; }
)css";
}

Markup export_style() {
  return R"css(
:root { color-scheme: light dark; --ground: #faf9f6; --card: #ffffff; --sunk: #f1eee8; --ink: #1d1c1a; --soft: #5d5a53; --line: #dcd7ce; --edge: #8b857a; --link: #8a4312; --focus: #1f5fa8; --good: #1f6b3a; --good-ground: #e3f3e7; --bad: #a3261f; --bad-ground: #fbe6e3; }
@media (prefers-color-scheme: dark) { :root { --ground: #15161a; --card: #1e2025; --sunk: #26292f; --ink: #eceae6; --soft: #aeaaa1; --line: #363940; --edge: #7c8089; --link: #efb07b; --focus: #8cc2ff; --good: #8fd6a5; --good-ground: #1c3324; --bad: #ff9d92; --bad-ground: #43211e; } }
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main, body > header, footer { max-width: 60rem; margin: 0 auto; padding: 0 1rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
code, pre { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin-top: 2rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.prompts { padding-left: 1.5rem; }
.prompts li { margin: .3rem 0; overflow-wrap: anywhere; }
.soft { color: var(--soft); font-size: .875rem; }
.bad { color: var(--bad); }
footer { color: var(--soft); font-size: .875rem; padding-bottom: 2rem; }
@media print { .turn { break-inside: avoid-page; } }
)css";
}

}  // namespace holdfast::reading
