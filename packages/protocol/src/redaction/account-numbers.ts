/**
 * Card numbers and IBANs: shapes that a regular expression finds and a check digit decides. Every start is followed for a bounded
 * number of characters only, so the time is linear in the text.
 */
export interface Span {
  readonly start: number;
  /** After the last character. */
  readonly end: number;
}

const cardDigits = { least: 13, most: 19 };
/** Cards are printed in groups of at least four, the last one aside. */
const leastInGroup = 4;

/** What every number found below contains; it only decides whether a search is worth it. Begins with a digit, which most texts lack. */
const hint = /[2-6](?:[ -]?\d){12}|(?<=[a-z]{2})\d\d(?:[ -]?[a-z0-9]){11}/i;

export const mayHoldAccountNumber = (text: string): boolean => hint.test(text);

/**
 * The card numbers of a text, each found when it is asked for: 13 to 19 digits, also in groups separated by single spaces or hyphens, first
 * digit 2 to 6, Luhn.
 */
export function* cardNumbers(text: string): Generator<Span, void> {
  let at = 0;
  while (at < text.length) {
    if (!isDigit(text.charCodeAt(at))) {
      at += 1;
      continue;
    }
    const run = readRun(text, at);
    yield* cardsInRun(text, run);
    at = (run.at(-1) as Span).end;
  }
}

/** Groups of digits that single spaces or hyphens join, from the digit at `at` on. */
function readRun(text: string, at: number): Span[] {
  const groups: Span[] = [];
  let start = at;
  for (;;) {
    let end = start;
    while (isDigit(text.charCodeAt(end))) end += 1;
    groups.push({ start, end });
    if (!isJoint(text.charCodeAt(end)) || !isDigit(text.charCodeAt(end + 1))) return groups;
    start = end + 1;
  }
}

/**
 * The whole run, or what is left of it after a card, may be grouped in any way. A part of it, such as the card in
 * "order 12 4111 1111 1111 1111", must be grouped as cards are, or every list of small numbers would hold one.
 */
function* cardsInRun(text: string, groups: readonly Span[]): Generator<Span, void> {
  const runEnd = (groups.at(-1) as Span).end;
  if (runEnd - (groups[0] as Span).start < cardDigits.least) return;
  let mayTakeRest = true;
  let from = 0;
  while (from < groups.length) {
    const starts = from === 0 ? startsIn(text, groups[0] as Span) : [(groups[from] as Span).start];
    let last: number | null = null;
    for (const start of starts) {
      // Longer than 19 digits with a separator after each.
      if (mayTakeRest && runEnd - start < 2 * cardDigits.most && isCard(text, start, runEnd)) {
        yield { start, end: runEnd };
        return;
      }
      last = lastGroupOfCard(text, groups, from, start);
      if (last === null) continue;
      yield { start, end: (groups[last] as Span).end };
      break;
    }
    mayTakeRest = last !== null;
    from = (last ?? from) + 1;
  }
}

/** Where a number may begin in the first digits of a run: with the first, or behind an escape that ends within them, as in `%20…`. */
function startsIn(text: string, { start, end }: Span): number[] {
  const starts = [start];
  if (start === 0 || (text[start - 1] !== "%" && !isAlphanumeric(text.charCodeAt(start - 1)))) return starts;
  for (let at = start + 1; at < end && at <= start + mostEscapedDigits; at += 1) {
    if (isEscapeBefore(text, at)) starts.push(at);
  }
  return starts;
}

/** The index of the group that ends a card which begins at `start`, in the group at `from`. */
function lastGroupOfCard(text: string, groups: readonly Span[], from: number, start: number): number | null {
  let digits = 0;
  for (let to = from; to < groups.length; to += 1) {
    const { start: ownStart, end } = groups[to] as Span;
    const groupStart = Math.max(start, ownStart);
    digits += end - groupStart;
    if (digits > cardDigits.most) return null;
    if (digits >= cardDigits.least && isCard(text, start, end)) return to;
    if (end - groupStart < leastInGroup) return null;
  }
  return null;
}

function isCard(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start);
  if (first < 50 || first > 54) return false;
  if (isWordAt(text, end) || isPartOfFraction(text, start, end)) return false;
  if (isInWord(text, start) && !isOnTrack(text, start, end)) return false;
  let sum = 0;
  let digits = 0;
  for (let at = end - 1; at >= start; at -= 1) {
    const code = text.charCodeAt(at);
    if (!isDigit(code)) continue;
    const digit = code - 48;
    const weighted = digits % 2 === 1 ? digit * 2 : digit;
    sum += weighted > 9 ? weighted - 9 : weighted;
    digits += 1;
  }
  return digits >= cardDigits.least && digits <= cardDigits.most && sum % 10 === 0 && !isPartOfUuid(text, start);
}

/** One side of a decimal point: every tenth number of full precision would pass the check. */
const isPartOfFraction = (text: string, start: number, end: number): boolean =>
  (text[start - 1] === "." && isDigit(text.charCodeAt(start - 2))) ||
  (text[end] === "." && isDigit(text.charCodeAt(end + 1)));

/** Track 1 of a magnetic stripe, `%B<card>^`, its signs perhaps escaped. */
const trackStart = /(?<=%(?:25){0,3}[Bb])/y;
const trackEnd = /\^|%(?:25){0,3}5[Ee]/y;

const isOnTrack = (text: string, start: number, end: number): boolean =>
  matchesAt(trackStart, text, start) && matchesAt(trackEnd, text, end);

const uuidHere = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![a-z0-9])/iy;
/** Where the groups of a UUID begin. */
const uuidGroups = [0, 9, 14, 19, 24];

/** Ids of tasks are often UUIDs, and some have enough digits in a row. */
function isPartOfUuid(text: string, start: number): boolean {
  return uuidGroups.some((offset) => {
    const at = start - offset;
    if (at < 0 || !matchesAt(uuidHere, text, at)) return false;
    return at === 0 || !isAlphanumeric(text.charCodeAt(at - 1)) || isEscapeBefore(text, at);
  });
}

/** Whether a JSON number is written as a card number. Fractions and exponents never are. */
export function isCardLexeme(lexeme: string): boolean {
  return lexeme.length >= cardDigits.least && lexeme.length <= cardDigits.most && /^\d+$/.test(lexeme)
    ? isCard(lexeme, 0, lexeme.length)
    : false;
}

/** Characters of an IBAN by its country (ISO 13616 registry). */
const ibanLengths: ReadonlyMap<string, number> = new Map(
  Object.entries({
    15: "NO",
    16: "BE",
    18: "DK FI FK FO GL NL SD",
    19: "MK SI",
    20: "AT BA EE KZ LT LU MN XK",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ OM SO TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST",
    26: "IS TR",
    27: "BI DJ FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HN HU LB NI PL SV",
    29: "BR EG PS QA UA",
    30: "JO KW MU YE",
    31: "MT SC",
    32: "LC",
    33: "RU",
  }).flatMap(([length, countries]) => countries.split(" ").map((country) => [country, Number(length)] as const)),
);

const ibanStart = /[a-z]{2}\d\d/gi;

/**
 * The IBANs of a text, each found when it is asked for: in any case, also in groups separated by single spaces or hyphens, with a valid
 * check number.
 */
export function* ibans(text: string): Generator<Span, void> {
  let from = 0;
  for (const { 0: found, index: start } of text.matchAll(ibanStart)) {
    if (start < from || isInWord(text, start)) continue;
    const length = ibanLengths.get(found.slice(0, 2).toUpperCase());
    const end = length === undefined ? null : ibanEnd(text, start, length);
    if (end === null || isPartOfUuid(text, start)) continue;
    yield { start, end };
    from = end;
  }
}

/** Where the IBAN of `length` characters that starts at `start` ends; null when its check number is wrong. */
function ibanEnd(text: string, start: number, length: number): number | null {
  let at = start;
  for (let found = 0; found < length; at += 1) {
    const code = text.charCodeAt(at);
    if (isAlphanumeric(code)) found += 1;
    else if (!isJoint(code) || isJoint(text.charCodeAt(at - 1))) return null;
  }
  if (isWordAt(text, at)) return null;
  // The check digits are read last.
  return remainderOf(text, start, start + 4, remainderOf(text, start + 4, at, 0)) === 1 ? at : null;
}

/** The remainder by 97 of what stands between, letters read as 10 to 35. */
function remainderOf(text: string, start: number, end: number, before: number): number {
  let remainder = before;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) remainder = (remainder * 10 + code - 48) % 97;
    else if (!isJoint(code)) remainder = (remainder * 100 + (code | 32) - 87) % 97;
  }
  return remainder;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isAlphanumeric = (code: number): boolean => isDigit(code) || ((code | 32) >= 97 && (code | 32) <= 122);
/** A space or a hyphen. */
const isJoint = (code: number): boolean => code === 32 || code === 45;

const wordCharacter = /[\p{L}\p{N}]/u;

function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 ? isAlphanumeric(code) : at < text.length && wordCharacter.test(text[at] as string);
}

/**
 * Whether a letter or digit stands directly before. Letters make a number part of an identifier, above all of a hexadecimal one; those of
 * an escape are a sign of their own.
 */
const isInWord = (text: string, at: number): boolean => at > 0 && isWordAt(text, at - 1) && !isEscapeBefore(text, at);

/** `%3D`, also encoded more than once (`%253D`), and `\n`, `\x22` or `\u0022` as texts inside texts have them. */
const escapeBefore =
  /(?<=%(?:25){0,3}[\da-fA-F]{2}|(?:\\|%(?:25){0,3}5[Cc])(?:[bfnrt]|x[\da-fA-F]{2}|u[\da-fA-F]{4}))/y;
/** As in `%252525hh`. */
const mostEscapedDigits = 8;

const isEscapeBefore = (text: string, at: number): boolean => matchesAt(escapeBefore, text, at);

function matchesAt(sticky: RegExp, text: string, at: number): boolean {
  sticky.lastIndex = at;
  return sticky.test(text);
}
