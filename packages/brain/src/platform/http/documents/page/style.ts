export const docsStyle = `:root {
  color-scheme: light dark;
  --back: light-dark(#ffffff, #12161c); --soft: light-dark(#f4f6f9, #1a2029); --line: light-dark(#d8dde4, #2c3541);
  --text: light-dark(#1b2430, #e3e8ef); --muted: light-dark(#56616f, #9aa6b5); --link: light-dark(#1a56c4, #86b3ff);
  --get: light-dark(#1a56c4, #86b3ff); --post: light-dark(#1d6b34, #6fce8b); --put: light-dark(#8a4b00, #f0b25e); --delete: light-dark(#b3261e, #ff9a92);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 72px; }
body { background: var(--back); color: var(--text); font: 14px/21px system-ui, sans-serif; margin: 0; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { left: -999px; position: absolute; }
.skip:focus { background: var(--back); left: 8px; padding: 4px 8px; top: 8px; z-index: 2; }
header { align-items: center; background: var(--back); border-bottom: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: 4px 16px; padding: 10px 24px; position: sticky; top: 0; z-index: 1; }
h1 { font-size: 17px; margin: 0; }
h2 { border-top: 1px solid var(--line); font-size: 18px; line-height: 26px; margin: 32px 0 4px; padding-top: 24px; }
h3 { font-size: 14px; font-weight: 600; margin: 0; }
h4 { color: var(--muted); font-size: 12px; letter-spacing: .03em; margin: 16px 0 4px; text-transform: uppercase; }
p { margin: 4px 0 8px; max-width: 75ch; }
#version { color: var(--muted); margin: 0; }
.search { align-items: center; display: flex; flex: 1 1 16rem; gap: 8px; max-width: 30rem; }
.search span { color: var(--muted); }
input { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; color: inherit; flex: 1; font: inherit; min-width: 0; padding: 4px 10px; }
.columns { display: grid; grid-template-columns: 17rem minmax(0, 1fr); margin: 0 auto; max-width: 82rem; }
nav { border-right: 1px solid var(--line); max-height: calc(100vh - 54px); overflow-y: auto; padding: 12px 8px 32px 24px; position: sticky; top: 54px; }
nav > details > summary { display: none; }
nav h2 { border: 0; font-size: 12px; line-height: 18px; margin: 14px 0 2px; padding: 0; }
nav h2 a { color: var(--muted); display: block; padding: 3px 0; text-decoration: none; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { border-radius: 4px; color: inherit; display: block; padding: 2px 6px; text-decoration: none; }
nav li a:hover { background: var(--soft); }
main { min-width: 0; padding: 16px 24px 96px; }
main:focus { outline: none; }
article { border: 1px solid var(--line); border-radius: 8px; margin: 8px 0; }
article > details > summary { align-items: baseline; border-radius: 8px; cursor: pointer; display: flex; flex-wrap: wrap; gap: 2px 12px; list-style: none; padding: 8px 12px; }
article > details > summary::-webkit-details-marker { display: none; }
article > details > summary:hover { background: var(--soft); }
article > details[open] > summary { border-bottom: 1px solid var(--line); border-radius: 8px 8px 0 0; }
.inside { padding: 8px 12px 16px; }
.path { color: var(--muted); margin-left: auto; overflow-wrap: anywhere; }
.method { font: 600 12px/18px ui-monospace, monospace; min-width: 3.6rem; }
.get { color: var(--get); } .post { color: var(--post); } .put, .patch { color: var(--put); } .delete { color: var(--delete); }
code, pre { font: 12.5px/19px ui-monospace, monospace; }
:not(pre) > code { overflow-wrap: anywhere; }
pre { background: var(--soft); border-radius: 6px; margin: 0; max-height: 26rem; overflow: auto; padding: 8px 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: minmax(8rem, 15rem) minmax(0, 1fr); margin: 0; }
dt, dd { border-top: 1px solid var(--line); margin: 0; overflow-wrap: anywhere; padding: 5px 12px 5px 0; }
dt:first-of-type, dd:first-of-type { border-top: 0; }
dd p { margin: 0; }
.note { color: var(--muted); }
.copyable { position: relative; }
.copyable pre { padding-right: 76px; }
button { background: var(--back); border: 1px solid var(--line); border-radius: 6px; color: inherit; cursor: pointer; font: inherit; padding: 1px 10px; }
.copyable button { position: absolute; right: 6px; top: 5px; }
[hidden] { display: none !important; }
@media (max-width: 760px) {
  html { scroll-padding-top: 16px; }
  header { padding: 10px 16px; position: static; }
  .columns { display: block; }
  nav { border: 0; border-bottom: 1px solid var(--line); max-height: none; overflow: visible; padding: 8px 16px; position: static; }
  nav > details > summary { cursor: pointer; display: list-item; padding: 4px 0; }
  main { padding: 8px 16px 64px; }
  .path { flex-basis: 100%; margin: 0; }
  dl { display: block; }
  dt { padding-bottom: 0; }
  dd, dd:first-of-type { border-top: 0; padding-top: 0; }
  li a { padding: 5px 6px; }
}
`;
