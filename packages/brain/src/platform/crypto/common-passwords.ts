import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const listed = 10_000;
/** Names of this service and related software, and phrases that lists of leaked passwords lack. */
const ownWords = [
  "administrator",
  "changeit",
  "temppassword",
  "welcomehome",
  "yourpassword",
  "thepassword",
  "adminpassword",
  "rootpassword",
  "userpassword",
  "correcthorsebatterystaple",
  "postgres",
  "postgresql",
  "kubernetes",
  "docker",
  "redis",
  "celery",
  "bullmq",
];
const seasons =
  "spring summer autumn winter january february march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday";

interface Common {
  readonly words: ReadonlySet<string>;
  /** Characters of the longest of them. */
  readonly longest: number;
}
let known: Common | null = null;

/** The most common passwords, read when the first password is checked; the rest of the file is not kept in memory. */
function commonPasswords(): Common {
  if (known === null) {
    const path = require.resolve("@zxcvbn-ts/language-common/src/passwords.json");
    const byFrequency = JSON.parse(readFileSync(path, "utf8")) as string[];
    const words = new Set([...byFrequency.slice(0, listed), ...ownWords, ...seasons.split(" ")]);
    known = { words, longest: Math.max(...[...words].map(({ length }) => length)) };
  }
  return known;
}

const written: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "l",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};

/** A text with common substitutes (digits and signs) replaced by the characters they mean. */
export const withoutLeet = (lower: string): string => lower.replace(/[01345790@$!]/g, (sign) => written[sign] ?? sign);
/** As `withoutLeet`, with both readings of the ambiguous digit. */
const spellings = (word: string): string[] => [withoutLeet(word), withoutLeet(word.replaceAll("1", "i"))];

/** From the first to the last alphabetic character of a text. */
const alphabeticSpan = /\p{L}(?:[\s\S]*\p{L})?/u;
export const alphanumericOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, "");
const alphabeticOf = (text: string): string => text.replace(/[^\p{L}]/gu, "");
const countDigits = (text: string): number => text.replace(/\P{N}/gu, "").length;

/** Shorter words match only exactly as listed and as the whole alphabetic part: they occur in random passwords by chance. */
const shortestWord = 4;
/** Characters before or after a word of at least this length that count as decoration too. */
const longestAffix = 2;
const shortestDecorated = 6;
/** Maximum alphabetic characters in the decoration of a word. */
const maxAffixCharacters = 3;
/** Shorter numbers occur in random digits by chance. */
const shortestNumber = 6;
/** A number of this many digits counts even if other numbers have more. */
const shortestGroup = 8;

/** Whether a lower-case password is a common one, with digits or signs around it or as substitutes. */
export function isCommonPassword(lower: string): boolean {
  const common = commonPasswords();
  const isKnown = (word: string) => word.length >= shortestWord && common.words.has(word);
  const span = alphabeticSpan.exec(lower);
  if (span === null ? holdsNumber(lower, common) : holdsWord(lower, span, common)) return true;
  return [lower, withoutLeet(lower)].some((text) => {
    const alphabetic = alphabeticOf(text);
    return (
      // Words have few signs inside; more of them are not decoration.
      (alphabetic.length * 2 >= text.length && isKnown(alphabetic)) || cores(text, alphabetic.length).some(isKnown)
    );
  });
}

/** Whether a common password covers all alphabetic characters of a text, from `span` start to end. Adjacent digits and signs may belong to it. */
function holdsWord(text: string, span: RegExpExecArray, { words, longest }: Common): boolean {
  const spanEnd = span.index + span[0].length;
  for (let start = Math.max(0, spanEnd - longest); start <= span.index; start += 1) {
    for (let end = spanEnd; end <= Math.min(text.length, start + longest); end += 1) {
      const word = text.slice(start, end);
      if (words.has(word)) return true;
      if (word.length >= shortestWord && spellings(word).some((spelling) => words.has(spelling))) return true;
    }
  }
  return false;
}

/** Whether a text of digits and signs contains a common number that is most of its digits, or a long separate one. */
function holdsNumber(text: string, { words, longest }: Common): boolean {
  const digits = countDigits(text);
  for (let start = 0; start + shortestNumber <= text.length; start += 1) {
    for (let end = start + shortestNumber; end <= Math.min(text.length, start + longest); end += 1) {
      const number = text.slice(start, end);
      if (!words.has(number)) continue;
      const isGroup = countDigits(text.slice(Math.max(0, start - 1), start) + text.slice(end, end + 1)) === 0;
      if (number.length > digits - countDigits(number) || (isGroup && number.length >= shortestGroup)) return true;
    }
  }
  return false;
}

/** The words of a text without short decoration before and after, where the word is most of the text. */
function cores(text: string, alphabetic: number): string[] {
  const isEnough = (word: string) => word.length >= Math.max(shortestDecorated, alphabetic - maxAffixCharacters);
  return text
    .split(/[^\p{L}]+/u)
    .filter(isEnough)
    .flatMap((word) => affixes.map(([before, after]) => word.slice(before, word.length - after)))
    .filter(isEnough);
}

const counts = Array.from({ length: longestAffix + 1 }, (_, count) => count);
const affixes = counts.flatMap((before) => counts.map((after) => [before, after] as const));
