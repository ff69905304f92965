import type { Expression } from "./find.ts";
import { type Part, partsOf } from "./syntax.ts";

/** A possibly expensive text of any length: a beginning, a repeated part, and an end at which the match fails. */
export interface WorstCase {
  readonly prefix: string;
  readonly pump: string;
  readonly suffix: string;
}

export const textOf = ({ prefix, pump, suffix }: WorstCase, length: number): string =>
  prefix + pump.repeat(Math.ceil(length / pump.length)).slice(0, length) + suffix;

/** One character of each kind that character classes distinguish. */
const palette = [..."aA0 -_.:/\"'\\@=<>()[]{}|,;!?+*%$#&~^`fgzZ9xe\t\n\r\0\u2028\u00e9\uffff"];
export const genericPumps = [
  " ",
  "0",
  "-",
  "a",
  "A",
  "/",
  ".",
  "=",
  "\t",
  "\n",
  "\u2028",
  "a ",
  "a.",
  "0-",
  "a@",
  "a:",
  '"',
];
const suffixes = ["", "\0", "\n", "\u2028", "a", "!", "a\n", "a\u2028a"];
/** Comes first, so that a match at the beginning cannot take the whole text. */
const shield = "\0A";
/** Variants of the text that one repeated part may match. */
const variants = 4;
const longestSample = 300;

/** The candidates for expensive texts: repetitions of what each repeated part matches, and common worst cases. */
export function worstCasesOf(expression: Expression): WorstCase[] {
  const flags = expression.flags.replace(/[gy]/g, "");
  const charactersOf = (source: string): string[] => {
    // The backslash escapes signs such as `/` or `]`.
    const form = new RegExp(`^(?:${source})$`, flags);
    const found = palette.filter((character) => form.test(character));
    return found.length > 0 ? found : [...source.replace(/^\\/, "")].slice(0, 1);
  };

  const samplesOf = (part: Part): string[] => {
    switch (part.kind) {
      case "character":
        return charactersOf(part.source);
      case "empty":
        return part.isBehind && part.inner !== null ? samplesOf(part.inner) : [""];
      case "choice":
        return part.options.flatMap((option) => samplesOf(option).slice(0, variants));
      case "repeat":
        return samplesOf(part.inner).map((text) => text.repeat(Math.max(part.min, Math.min(1, part.max))));
      case "sequence": {
        const samples = part.parts.map((inner) => samplesOf(inner).slice(0, variants));
        const count = Math.max(1, ...samples.map(({ length }) => length));
        return Array.from({ length: count }, (_, at) =>
          samples.map((texts) => texts[at % texts.length] ?? "").join(""),
        );
      }
    }
  };

  const pumped: { prefix: string; pump: string }[] = [];
  const pump = (prefix: string, part: Part) => {
    for (const text of samplesOf(part).slice(0, variants)) pumped.push({ prefix, pump: text });
  };
  const prefixes = new Set([""]);
  const walk = (part: Part, prefix: string): void => {
    switch (part.kind) {
      case "repeat":
        if (part.max > 1) pump(prefix, part.inner);
        prefixes.add(prefix);
        walk(part.inner, prefix);
        return;
      case "empty":
        if (part.inner !== null) walk(part.inner, prefix);
        return;
      case "choice":
        for (const option of part.options) walk(option, prefix);
        return;
      case "sequence": {
        let before = prefix;
        for (const [at, inner] of part.parts.entries()) {
          walk(inner, before);
          const next = part.parts[at + 1];
          if (next !== undefined) pump(before, { kind: "sequence", parts: [inner, next] });
          before += (samplesOf(inner)[0] ?? "").slice(0, longestSample);
        }
      }
    }
  };
  const root = partsOf(expression);
  walk(root, "");
  pump("", root);
  for (const prefix of prefixes) for (const text of genericPumps) pumped.push({ prefix, pump: text });

  const cases = new Map<string, WorstCase>();
  for (const { prefix, pump: text } of pumped) {
    if (text === "" || text.length > longestSample) continue;
    for (const before of prefix === "" ? ["", shield] : [prefix])
      for (const suffix of suffixes)
        cases.set(JSON.stringify([before, text, suffix]), { prefix: before, pump: text, suffix });
  }
  return [...cases.values()];
}
