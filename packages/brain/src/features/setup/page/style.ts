/** Style of the setup page, with the colours and dimensions of the dashboard's sign-in page. */
export const pageStyle = `:root {
  color-scheme: light dark;
  --bg: light-dark(#f6f7f9, #0e1116);
  --surface: light-dark(#ffffff, #151a21);
  --text: light-dark(#14181f, #e8ecf2);
  --muted: light-dark(#5c6675, #8f9aab);
  --edge: light-dark(#7b8594, #6b7788);
  --accent: light-dark(#2457c5, #7aa7ff);
  --on-accent: light-dark(#ffffff, #0b1220);
  --ok: light-dark(#0b6b4f, #4cc9a0);
  --danger: light-dark(#b3261e, #ff8b7e);
}
* { box-sizing: border-box; margin: 0; }
body { min-height: 100dvh; background: var(--bg); color: var(--text); font: .875rem/1.25rem system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { display: grid; min-height: 100dvh; }
.form { display: grid; gap: 1rem; align-content: center; width: min(22.5rem, 100vw - 2rem); margin: auto; padding-block: 2rem; }
.brand { display: flex; align-items: center; gap: .625rem; font-size: .8125rem; }
.brand b, .brand span span { display: block; }
.brand span span { color: var(--muted); }
.mark { display: grid; place-items: center; width: 1.75rem; height: 1.75rem; border-radius: .25rem; background: var(--text); color: var(--bg); font: 700 .6875rem/1 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
h1 { text-wrap: balance; margin-block-start: .5rem; font-size: 1.25rem; font-weight: 600; line-height: 1.75rem; }
.hint { color: var(--muted); font-size: .75rem; line-height: 1rem; }
.rules { margin: 0; padding-inline-start: 1rem; }
.rules .met { color: var(--ok); list-style: "\\2713  "; }
.alert { padding: .5rem .75rem; border: 1px solid var(--danger); border-radius: .375rem; color: var(--danger); background: var(--surface); }
.field { display: grid; gap: .25rem; }
label { font-weight: 500; }
input { width: 100%; height: 2.25rem; padding: 0 .625rem; border: 1px solid var(--edge); border-radius: .25rem; background: var(--surface); color: inherit; font: inherit; }
.bad input { border-color: var(--danger); box-shadow: inset 0 0 0 1px var(--danger); }
button { height: 2.25rem; border: 1px solid var(--accent); border-radius: .25rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 500; cursor: pointer; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (pointer: coarse) { input, button { height: 2.75rem; } }
`;
