/**
 * Finds card numbers and IBANs: candidates by form, confirmed by their check digits. Each candidate is read for a bounded number of
 * characters, so the time is linear in the text.
 */
export interface Span {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

const cardDigits = { least: 13, most: 19 };
/** Card numbers are printed in groups of at least four digits, except for the last group. */
const leastInGroup = 4;

/** Precondition of any match, tried before the search. Starts with a digit, which most texts do not have. */
const hint = /[2-6](?:[ -]?\d){12}|(?<=[a-z]{2})\d\d(?:[ -]?[a-z0-9]){11}/i;

export const mayHoldAccountNumber = (text: string): boolean => hint.test(text);

/**
 * The card numbers in a text, found lazily: 13 to 19 digits, contiguous or in groups separated by single spaces or hyphens, first digit 2 to
 * 6, with a valid Luhn check digit.
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

/** Groups of digits separated by single spaces or hyphens, from the digit at `at`. */
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
 * A whole run, or the rest of a run after a card number, may be grouped in any way. A part of a run, such as the card number in
 * "order 12 4111 1111 1111 1111", must be grouped like a card, otherwise every list of small numbers would match.
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
      // The bound is 19 digits with a separator after each.
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

/** Where a number may start in the first group of a run: at its first digit, or after an escape that ends inside it, as in `%20…`. */
function startsIn(text: string, { start, end }: Span): number[] {
  const starts = [start];
  if (start === 0 || (text[start - 1] !== "%" && !isAlphanumeric(text.charCodeAt(start - 1)))) return starts;
  for (let at = start + 1; at < end && at <= start + mostEscapedDigits; at += 1) {
    if (isEscapeBefore(text, at)) starts.push(at);
  }
  return starts;
}

/** The index of the last group of a card number that starts at `start` in the group at `from`. */
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

/** Digits next to a decimal point do not count: one in ten full-precision numbers would pass the check. */
const isPartOfFraction = (text: string, start: number, end: number): boolean =>
  (text[start - 1] === "." && isDigit(text.charCodeAt(start - 2))) ||
  (text[end] === "." && isDigit(text.charCodeAt(end + 1)));

/** Track 1 of a magnetic stripe, `%B<card>^`, possibly escaped. */
const trackStart = /(?<=%(?:25){0,3}[Bb])/y;
const trackEnd = /\^|%(?:25){0,3}5[Ee]/y;

const isOnTrack = (text: string, start: number, end: number): boolean =>
  matchesAt(trackStart, text, start) && matchesAt(trackEnd, text, end);

const uuidHere = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![a-z0-9])/iy;
/** Start positions of the groups of a UUID. */
const uuidGroups = [0, 9, 14, 19, 24];

/** Task ids are often UUIDs, and some have enough digits in a row. */
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

/** Length of an IBAN by country (ISO 13616 registry). */
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
 * The IBANs in a text, found lazily: in upper or lower case, contiguous or in groups separated by single spaces or hyphens, with valid check
 * digits.
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

/** The end of an IBAN of `length` characters that starts at `start`. Null when its check digits are wrong. */
function ibanEnd(text: string, start: number, length: number): number | null {
  let at = start;
  for (let found = 0; found < length; at += 1) {
    const code = text.charCodeAt(at);
    if (isAlphanumeric(code)) found += 1;
    else if (!isJoint(code) || isJoint(text.charCodeAt(at - 1))) return null;
  }
  if (isWordAt(text, at)) return null;
  // The first four characters, with the check digits, come last.
  return remainderOf(text, start, start + 4, remainderOf(text, start + 4, at, 0)) === 1 ? at : null;
}

/** The characters from `start` to `end` modulo 97. A to Z count as 10 to 35. */
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
 * Whether a word character precedes. Then the number is part of an identifier, often a hexadecimal one, unless the word character belongs to
 * an escape.
 */
const isInWord = (text: string, at: number): boolean => at > 0 && isWordAt(text, at - 1) && !isEscapeBefore(text, at);

/** `%3D`, also encoded repeatedly (`%253D`), and `\n`, `\x22` or `\u0022` in encoded text. */
const escapeBefore =
  /(?<=%(?:25){0,3}[\da-fA-F]{2}|(?:\\|%(?:25){0,3}5[Cc])(?:[bfnrt]|x[\da-fA-F]{2}|u[\da-fA-F]{4}))/y;
/** For example `%252525hh`. */
const mostEscapedDigits = 8;

const isEscapeBefore = (text: string, at: number): boolean => matchesAt(escapeBefore, text, at);

function matchesAt(sticky: RegExp, text: string, at: number): boolean {
  sticky.lastIndex = at;
  return sticky.test(text);
}
