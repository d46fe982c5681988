/** Rules of the page of a case, besides those of every page. */
export const STYLE = `
:root { --line: #5f6368; --plain: #fff; --text: #1c1c1e; --soft: #f3f4f6; }
@media (prefers-color-scheme: dark) { :root { --line: #9aa0a6; --plain: #1e1f22; --text: #eceff1; --soft: #2a2c30; } }
body { grid-template-columns: minmax(0, 1fr); }
main, h1 { width: min(90rem, 100%); }
h2 { font-size: 1.1rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
.state { font-size: 1.4rem; overflow-wrap: anywhere; }
.note { opacity: .8; }
.tools { display: flex; gap: .5rem; margin: 1rem 0 .5rem; }
button { font: inherit; min-width: 2.75rem; min-height: 2.75rem; padding: .25rem .75rem; border: 1px solid var(--line); border-radius: .25rem; background: var(--plain); color: var(--text); cursor: pointer; }
.diagram { overflow: auto; max-height: 75vh; border: 1px solid var(--line); border-radius: .25rem; background: var(--plain); }
.diagram svg { display: block; font: 12px system-ui, sans-serif; }
.diagram text { fill: var(--text); pointer-events: none; }
.diagram .mark { font-size: 12px; font-weight: 700; }
.plan > rect { fill: var(--plain); stroke: var(--line); stroke-width: 1.5; }
.item { cursor: pointer; --fill: var(--soft); --edge: var(--line); }
.item > rect, .item > polygon, .item > circle { fill: var(--fill); stroke: var(--edge); stroke-width: 1.5; }
.item.discretionary > rect, .item.discretionary > polygon { stroke-dasharray: 6 4; }
.item:focus { outline: none; }
.item:focus-visible > rect, .item:focus-visible > polygon, .item:focus-visible > circle, .item:hover > rect, .item:hover > polygon, .item:hover > circle { stroke-width: 4; }
.link { fill: none; stroke: var(--line); stroke-width: 1.2; stroke-dasharray: 7 3 2 3; pointer-events: none; }
.criterion { stroke: var(--line); pointer-events: none; }
.criterion.entry { fill: var(--plain); }
.criterion.exit { fill: var(--line); }
.s-active { --fill: #bbdefb; --edge: #1565c0; }
.s-enabled { --fill: #d1c4e9; --edge: #5e35b1; }
.s-available { --fill: #fff3c4; --edge: #a57c00; }
.s-completed { --fill: #c8e6c9; --edge: #2e7d32; }
.s-terminated { --fill: #e0e0e0; --edge: #757575; }
.s-failed { --fill: #ffcdd2; --edge: #c62828; }
.s-suspended { --fill: #ffe0b2; --edge: #e65100; }
.s-none, .s-disabled, .s-unavailable, .s-wait-repetition { --fill: var(--soft); --edge: var(--line); }
.s-none { opacity: .75; }
.badge { display: inline-block; font-size: 1rem; font-weight: 600; margin: 0 0 .5rem; padding: .1rem .6rem; border-radius: 1rem; border: 1px solid var(--edge); background: var(--fill); color: var(--text); }
@media (prefers-color-scheme: dark) {
.s-active { --fill: #0d3a66; --edge: #64b5f6; }
.s-enabled { --fill: #3a2a66; --edge: #b39ddb; }
.s-available { --fill: #4a3c00; --edge: #ffd54f; }
.s-completed { --fill: #1b4420; --edge: #81c784; }
.s-terminated { --fill: #3a3a3a; --edge: #9e9e9e; }
.s-failed { --fill: #5c1a1f; --edge: #ef9a9a; }
.s-suspended { --fill: #5a3200; --edge: #ffb74d; }
}
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 1.5rem; margin-top: 1.5rem; }
.panel, .timeline { border: 1px solid var(--line); border-radius: .25rem; padding: 1rem; min-width: 0; }
.timeline ol { list-style: none; margin: 0; padding: 0; }
.timeline li { margin-bottom: .75rem; overflow-wrap: anywhere; }
.timeline ul, .panel ul { margin: .25rem 0; padding-left: 1.25rem; }
.timeline ul li { margin: 0; }
time { font-variant-numeric: tabular-nums; }
`;
