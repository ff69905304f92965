import { cardNumbers, ibans, mayHoldAccountNumber, type Span } from "./account-numbers.ts";
import { redactionMarker } from "./markers.ts";

interface Family {
  readonly pattern: RegExp;
  /** Characters before and after a match that are masked with it. */
  readonly before?: RegExp;
  readonly after?: RegExp;
}

/**
 * Forms of secrets. Each pattern takes linear time: it starts with a literal, or with one character before a literal, and no two of its
 * repetitions can match the same characters, so failed attempts do not overlap. A word may also start after an escape of encoded text: `%3D`,
 * `\n`.
 */
const families: readonly Family[] = [
  // A JSON Web Token: three base64url parts, the first one starting with eyJ, possibly after a prefix that ends in a separator. The
  // lookahead matches the three parts first, so nothing after eyJ can fail and no part is scanned again for each eyJ in it.
  { pattern: /(?:(?<![\w-])|(?<=%[\da-f]{2}|\\[bfnrt]))(?=[\w-]+\.[\w-]+\.[\w-])(?:[\w-]*[_-])?eyJ/i, after: /[\w.-]/ },
  { pattern: /bearer\s+[\w.~+/=-]{16}/i, after: /[\w.~+/=-]/ },
  { pattern: /[spr]k_(?:live|test)_[a-z0-9]{24}/i, after: /\w/ },
  { pattern: /whsec_[\w+/=-]{24}/i, after: /[\w+/=-]/ },
  { pattern: /xox[abp]-/i, after: /[\w-]/ },
  { pattern: /gh[pos]_[a-z0-9]{36}/i, after: /\w/ },
  { pattern: /github_pat_\w{82}/i, after: /\w/ },
  { pattern: /a[ks]ia[a-z0-9]{16}/i, after: /\w/ },
  { pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/\w/i, after: /[^\s"'<>]/ },
  { pattern: /aiza[\w-]{35}/i, after: /[\w-]/ },
  { pattern: /(?:\b|(?<=%[\da-f]{2}|\\[bfnrt]))sk[0-9a-f]{32}\b/i },
  { pattern: /sg\.[\w-]{22}\.[\w-]{43}/i, after: /[\w-]/ },
  // A URL with user:password@. The user may be empty.
  { pattern: /(?<=:\/\/)[^\s/?#:@]*:[^\s/?#@]+(?=@)/ },
  { pattern: /-----begin [a-z0-9 ]*private key/i, after: /[\s\S]/ },
  { pattern: /(?:(?<!\d)|(?<=%[\da-f]{2}))\d{3}-\d{2}-\d{4}(?!\d)/ },
];

/** An email address, matched from the last character of its local part. */
const emailAddress: Family = {
  pattern: /[^\s"(),:;<>@[\\\]]@(?:[a-z0-9\u00a1-\uffff-]+\.)+[a-z\u00a1-\uffff]{2}/i,
  before: /[^\s"(),:;<>@[\\\]]/,
  after: /[a-z0-9\u00a1-\uffff-]/i,
};

const anyOf = (list: readonly Family[]): RegExp => new RegExp(list.map(({ pattern }) => pattern.source).join("|"), "i");
const anyFamily = anyOf([...families, emailAddress]);
const anyButEmail = anyOf(families);

/** Precondition of any match, or a character that cannot be stored. Most strings fail it and are done. */
const familyHint =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches U+0000 on purpose
  /[@\u0000\ud800-\udfff]|:\/\/|eyj|bearer|[spr]k_|whsec_|xox|gh[pos]_|github_|a[ks]ia|hooks\.|aiza|sk[0-9a-f]{8}|sg\.|-----b|\d{3}-\d\d-/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches U+0000 on purpose
const unstorableHint = /[\u0000\ud800-\udfff]/;

export interface ValueRuleOptions {
  readonly defaultsEnabled: boolean;
  readonly extraPatterns: readonly RegExp[];
}

export function createValueRule({ defaultsEnabled, extraPatterns }: ValueRuleOptions) {
  const hitsExtra = (text: string) => extraPatterns.some((pattern) => pattern.test(text));
  const hitsDefault = (text: string, any: RegExp) =>
    defaultsEnabled && ((familyHint.test(text) && any.test(text)) || holdsAccountNumber(text));
  const mayHit = (text: string) =>
    defaultsEnabled ? familyHint.test(text) || mayHoldAccountNumber(text) : unstorableHint.test(text);
  return {
    /** Whether a string may contain a secret or a character to replace. False is certain, true is not. */
    needsLook: extraPatterns.length > 0 ? () => true : mayHit,
    isSecret: (text: string) => hitsDefault(text, anyFamily) || hitsExtra(text),
    /** Replaces each match by the marker. `keepsEmail` skips email addresses. */
    mask(text: string, keepsEmail: boolean) {
      const any = keepsEmail ? anyButEmail : anyFamily;
      const isSecret = (candidate: string) => hitsDefault(candidate, any) || hitsExtra(candidate);
      if (!isSecret(text)) return text;
      const spans = extraPatterns.flatMap((pattern) => spansOf(text, { pattern }));
      if (defaultsEnabled) {
        for (const family of families) spans.push(...spansOf(text, family));
        if (!keepsEmail) spans.push(...spansOf(text, emailAddress));
        for (const span of cardNumbers(text)) spans.push(span);
        for (const span of ibans(text)) spans.push(span);
      }
      const masked = withMarkers(text, spans);
      // The text around the markers may match again. Then the whole text is masked.
      return isSecret(masked) ? redactionMarker : masked;
    },
  };
}

const holdsAccountNumber = (text: string): boolean =>
  mayHoldAccountNumber(text) && (!cardNumbers(text).next().done || !ibans(text).next().done);

/** Every match of a family with the characters that belong to it. An empty match covers the whole text. */
function spansOf(text: string, { pattern, before, after }: Family): Span[] {
  const spans: Span[] = [];
  for (const found of text.matchAll(new RegExp(pattern.source, `${pattern.flags.replace("g", "")}g`))) {
    if (found[0] === "") return [{ start: 0, end: text.length }];
    const known = spans.at(-1)?.end ?? 0;
    if (found.index + found[0].length <= known) continue;
    let start = found.index;
    let end = start + found[0].length;
    while (before !== undefined && start > known && before.test(text[start - 1] as string)) start -= 1;
    while (after !== undefined && end < text.length && after.test(text[end] as string)) end += 1;
    spans.push({ start, end });
  }
  return spans;
}

function withMarkers(text: string, spans: readonly Span[]): string {
  let masked = "";
  let shown = 0;
  for (const { start, end } of [...spans].sort((one, other) => one.start - other.start)) {
    if (end <= shown) continue;
    // Overlapping or adjacent matches are one.
    if (start > shown || shown === 0) masked += text.slice(shown, start) + redactionMarker;
    shown = end;
  }
  return masked + text.slice(shown);
}
