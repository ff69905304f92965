const whole = new Intl.NumberFormat("en-US");

export function count(value: number): string {
  return whole.format(value);
}

/** 12,400 as `12.4k`, for places where a count shares a line with a word. */
export function shortCount(value: number): string {
  if (value < 10_000) return whole.format(value);
  if (value < 1_000_000) return `${cutDecimal(value / 1000)}k`;
  return `${cutDecimal(value / 1_000_000)}M`;
}

// Truncated, not rounded: 999,999 must not be shown as a million.
function cutDecimal(value: number): string {
  const tenths = Math.trunc(value * 10) / 10;
  return tenths >= 100 ? String(Math.trunc(tenths)) : String(tenths);
}

/** A span of time in milliseconds: `40 ms`, `8.1 s`, `1 min 13 s`, `2 h 5 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${(Math.trunc(seconds * 10) / 10).toFixed(1)} s`;
  return longDuration(seconds);
}

/** The same for ages, where tenths of a second would only flicker: `3 s`, `1 min 13 s`. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.trunc(ms / 1000));
  return seconds < 60 ? `${seconds} s` : longDuration(seconds);
}

function longDuration(seconds: number): string {
  const all = Math.trunc(seconds);
  const units: [number, string][] = [
    [Math.trunc(all / 86_400), "d"],
    [Math.trunc(all / 3600) % 24, "h"],
    [Math.trunc(all / 60) % 60, "min"],
    [all % 60, "s"],
  ];
  const from = units.findIndex(([amount]) => amount > 0);
  return units
    .slice(from, from + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(" ");
}

/** A share of 0 to 1. Never `0 %` when something failed, never `100 %` when something did not. */
export function percent(share: number): string {
  if (share <= 0) return "0 %";
  if (share >= 1) return "100 %";
  if (share < 0.001) return "<0.1 %";
  if (share > 0.999) return ">99.9 %";
  const value = share * 100;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} %`;
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  if (size < 1024 * 1024) return `${(size / 1024).toFixed(1)} KB`;
  return `${(size / 1024 / 1024).toFixed(1)} MB`;
}

/** The distinctive end of an id: after the last colon, because engines prefix names; at most the last 8 characters, for example of a UUID. */
export function idTail(id: string): string {
  const last = id.slice(id.lastIndexOf(":") + 1) || id;
  // By code points, so that no surrogate pair is split.
  const chars = [...last];
  return printable(chars.length > 10 ? chars.slice(-8).join("") : last);
}

// Control characters and marks that reorder or hide text: a task name must not be able to imitate another one.
const deceptive = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Makes text from tasks or agents safe to display: control and bidirectional characters are escaped. */
export function printable(text: string): string {
  return text.replace(deceptive, (char) => `\\u${char.codePointAt(0)?.toString(16).padStart(4, "0")}`);
}

/** A name with visible text, also if it is blank. */
export function nameText(name: string): string {
  return name.trim() === "" ? "(no name)" : printable(name);
}

/** The same for multi-line text, such as a traceback. */
export function printableLines(text: string): string {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.split("\t").map(printable).join("\t"))
    .join("\n");
}
