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
let known: ReadonlySet<string> | null = null;

/** The most common passwords, read when the first password is judged; the rest of the file is not kept. */
function commonPasswords(): ReadonlySet<string> {
  if (known === null) {
    const path = require.resolve("@zxcvbn-ts/language-common/src/passwords.json");
    const byFrequency = JSON.parse(readFileSync(path, "utf8")) as string[];
    known = new Set([...byFrequency.slice(0, listed), ...ownWords, ...seasons.split(" ")]);
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

/** A text from its first to its last letter. */
const betweenLetters = (text: string): string => /\p{L}(?:[\s\S]*\p{L})?/u.exec(text)?.[0] ?? "";
const betweenLettersAndDigits = (text: string): string => /[\p{L}\p{N}](?:[\s\S]*[\p{L}\p{N}])?/u.exec(text)?.[0] ?? "";
export const lettersAndDigitsOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, "");
const lettersOf = (text: string): string => text.replace(/[^\p{L}]/gu, "");

/** Shorter words stand in random passwords by chance. */
const shortestWord = 4;
/** So many characters before a word of at least this length, or after it, are decoration as well. */
const longestAffix = 2;
const shortestDecorated = 6;
/** Letters that all decoration of a word may have together. */
const mostOtherLetters = 3;

/** Whether a password in lower case is a common one with digits or signs around it or for its letters. */
export function isCommonPassword(lower: string): boolean {
  const common = commonPasswords();
  const isKnown = (word: string) => word.length >= shortestWord && common.has(word);
  const bare = betweenLetters(lower);
  return (
    [lower, withoutLeet(lower)].some((text) => {
      const letters = lettersOf(text);
      return (
        [text, betweenLettersAndDigits(text), betweenLetters(text)].some(isKnown) ||
        // Signs inside of a word are few; more of them are no decoration.
        (letters.length * 2 >= text.length && isKnown(letters)) ||
        cores(text, letters.length).some(isKnown)
      );
    }) || isKnown(withoutLeet(bare))
  );
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
