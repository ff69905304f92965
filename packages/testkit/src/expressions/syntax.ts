import type { Expression } from "./find.ts";

/** The parts of a regular expression from which worst cases are built. */
export type Part =
  /** One character: itself, an escape, a class or the dot. */
  | { readonly kind: "character"; readonly source: string }
  /** Consumes nothing: an anchor, or a look-around with its own parts. */
  | { readonly kind: "empty"; readonly inner: Part | null; readonly isBehind: boolean }
  | { readonly kind: "sequence"; readonly parts: readonly Part[] }
  | { readonly kind: "choice"; readonly options: readonly Part[] }
  | { readonly kind: "repeat"; readonly inner: Part; readonly min: number; readonly max: number };

const escapeForm = /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|k<[^>]*>|[\s\S])/y;
const groupForm = /\((?:\?(?:<[=!]|[=!:]|<[^>]*>|[a-z-]+:))?/y;
const quantifierForm = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y;

const nothing: Part = { kind: "empty", inner: null, isBehind: false };

/** Parses a valid expression into its parts. */
export function partsOf({ source }: Pick<Expression, "source">): Part {
  let at = 0;
  const read = (form: RegExp): RegExpExecArray | null => {
    form.lastIndex = at;
    const found = form.exec(source);
    if (found !== null) at = form.lastIndex;
    return found;
  };

  function readChoice(): Part {
    const options: Part[] = [readSequence()];
    while (source[at] === "|") {
      at += 1;
      options.push(readSequence());
    }
    return options.length === 1 ? (options[0] as Part) : { kind: "choice", options };
  }

  function readSequence(): Part {
    const parts: Part[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") {
      const inner = readOne();
      const quantifier = read(quantifierForm);
      parts.push(quantifier === null ? inner : { kind: "repeat", inner, ...boundsOf(quantifier) });
    }
    return { kind: "sequence", parts };
  }

  function readOne(): Part {
    const from = at;
    if (source[at] === "(") {
      const opening = read(groupForm)?.[0] ?? "(";
      const inner = readChoice();
      at += 1;
      return /^\(\?<?[=!]$/.test(opening) ? { kind: "empty", inner, isBehind: opening === "(?<=" } : inner;
    }
    if (source[at] === "[") return { kind: "character", source: readClass() };
    if (source[at] === "\\") {
      const escaped = read(escapeForm)?.[0] ?? "\\";
      // A boundary and a back-reference consume nothing themselves.
      return /^\\(?:[bB1-9]|k<)/.test(escaped) ? nothing : { kind: "character", source: escaped };
    }
    at += (source.codePointAt(at) as number) > 0xffff ? 2 : 1;
    const text = source.slice(from, at);
    return text === "^" || text === "$" ? nothing : { kind: "character", source: text };
  }

  function readClass(): string {
    const from = at;
    for (at += 1; source[at] !== "]"; at += source[at] === "\\" ? 2 : 1);
    at += 1;
    return source.slice(from, at);
  }

  return readChoice();
}

function boundsOf([text, least, comma, most]: RegExpExecArray): { min: number; max: number } {
  const sign = text.charAt(0);
  if (sign !== "{") return { min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Number.POSITIVE_INFINITY };
  const min = Number(least);
  if (comma === undefined) return { min, max: min };
  return { min, max: most === "" || most === undefined ? Number.POSITIVE_INFINITY : Number(most) };
}
