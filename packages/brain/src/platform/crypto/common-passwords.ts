import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const listed = 10_000;
/** Names of this service and of what runs beside it, and phrases that no list of leaked passwords holds. */
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

/** The most common passwords, read when the first password is judged; the rest of the file is not kept. */
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

/** A text with the letters for which digits and signs commonly stand. */
export const withoutLeet = (lower: string): string => lower.replace(/[01345790@$!]/g, (sign) => written[sign] ?? sign);
/** As `withoutLeet`, with both readings of the digit that stands for two letters. */
const spellings = (word: string): string[] => [withoutLeet(word), withoutLeet(word.replaceAll("1", "i"))];

/** From the first to the last letter of a text. */
const betweenLetters = /\p{L}(?:[\s\S]*\p{L})?/u;
export const lettersAndDigitsOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, "");
const lettersOf = (text: string): string => text.replace(/[^\p{L}]/gu, "");
const countDigits = (text: string): number => text.replace(/\P{N}/gu, "").length;

/** Shorter words are found only as they are listed and with every letter of the password: others stand in random ones by chance. */
const shortestWord = 4;
/** So many characters before a word of at least this length, or after it, are decoration as well. */
const longestAffix = 2;
const shortestDecorated = 6;
/** Letters that all decoration of a word may have together. */
const mostOtherLetters = 3;
/** Shorter numbers stand among random digits by chance. */
const shortestNumber = 6;
/** A number of so many digits counts also beside others that have more of them. */
const shortestGroup = 8;

/** Whether a password in lower case is a common one with digits or signs around it or for its letters. */
export function isCommonPassword(lower: string): boolean {
  const common = commonPasswords();
  const isKnown = (word: string) => word.length >= shortestWord && common.words.has(word);
  const span = betweenLetters.exec(lower);
  if (span === null ? holdsNumber(lower, common) : holdsWord(lower, span, common)) return true;
  return [lower, withoutLeet(lower)].some((text) => {
    const letters = lettersOf(text);
    return (
      // Signs inside of a word are few; more of them are no decoration.
      (letters.length * 2 >= text.length && isKnown(letters)) || cores(text, letters.length).some(isKnown)
    );
  });
}

/** Whether a common password holds all letters of a text, which begin and end at `span`. Digits and signs beside them may belong to it. */
function holdsWord(text: string, span: RegExpExecArray, { words, longest }: Common): boolean {
  const lettersEnd = span.index + span[0].length;
  for (let start = Math.max(0, lettersEnd - longest); start <= span.index; start += 1) {
    for (let end = lettersEnd; end <= Math.min(text.length, start + longest); end += 1) {
      const word = text.slice(start, end);
      if (words.has(word)) return true;
      if (word.length >= shortestWord && spellings(word).some((spelling) => words.has(spelling))) return true;
    }
  }
  return false;
}

/** Whether a text without letters holds a common number that is most of its digits, or a long one that stands by itself. */
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

/** The words of a text without a few letters before and after them, where few letters of the text are outside of that word. */
function cores(text: string, letters: number): string[] {
  const isEnough = (word: string) => word.length >= Math.max(shortestDecorated, letters - mostOtherLetters);
  return text
    .split(/[^\p{L}]+/u)
    .filter(isEnough)
    .flatMap((word) => affixes.map(([before, after]) => word.slice(before, word.length - after)))
    .filter(isEnough);
}

const counts = Array.from({ length: longestAffix + 1 }, (_, count) => count);
const affixes = counts.flatMap((before) => counts.map((after) => [before, after] as const));
