import { alphanumericOf, withoutLeet } from "./common-passwords.ts";

// Passwords that are long but quickly guessed. Each rule scans the text a fixed number of times.

/** Keyboard rows and the alphabet in order; runs may go in either direction. */
const rows = [
  "1234567890",
  "!@#$%^&*()",
  "abcdefghijklmnopqrstuvwxyz",
  ...["qwertyuiop", "asdfghjkl", "zxcvbnm"],
  ...["qwertzuiop", "yxcvbnm"],
  ...["azertyuiop", "qsdfghjklm", "wxcvbn"],
  ...["йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"],
  ...["1qaz", "2wsx", "3edc", "4rfv", "5tgb", "6yhn", "7ujm", "8ik,", "9ol.", "0p;/"],
  ...["!qaz", "@wsx", "#edc", "$rfv", "%tgb", "^yhn", "&ujm"],
].map((row) => new Map([...row].map((key, place) => [key, place])));
const shortestRun = 3;
/** How much of a password its runs must make up. */
const mostOfIt = 2 / 3;

/** Whether most of a lower-case password is runs of neighbouring keys or characters, such as `qwertyuiop` and `1234`. */
export function isKeyboardSequence(lower: string): boolean {
  const isInRun = new Uint8Array(lower.length);
  for (const row of rows) {
    let from = 0;
    let step = 0;
    for (let at = 1; at <= lower.length; at += 1) {
      const before = row.get(lower.charAt(at - 1));
      const here = row.get(lower.charAt(at));
      const moved = before === undefined || here === undefined ? 0 : here - before;
      const isNeighbour = moved === 1 || moved === -1;
      if (isNeighbour && (step === 0 || moved === step)) {
        step = moved;
        continue;
      }
      if (at - from >= shortestRun && step !== 0) isInRun.fill(1, from, at);
      // A run that changes direction continues from its last key.
      from = isNeighbour ? at - 1 : at;
      step = isNeighbour ? moved : 0;
    }
  }
  return lower.length > 0 && isInRun.reduce((sum, one) => sum + one, 0) >= mostOfIt * lower.length;
}

/** Short blocks are found by their distance; longer ones by their beginnings. */
const longestShortBlock = 24;
const repeatedShare = 0.55;
const fewestCharacters = 5;
/** Blocks of fewer characters occur twice by chance. */
const shortestRepeat = 4;
/** Characters that a password must have outside of blocks that occur twice in it. */
const fewestOutside = 8;

/** Whether most of a password is characters or blocks that are repeated, such as `aaaaaaaa`, `abcabcabc` and `word1-word2`. */
export function isRepeated(lower: string): boolean {
  if (lower.length >= 8 && new Set(lower).size < fewestCharacters) return true;
  for (let block = 1; block <= Math.min(longestShortBlock, lower.length - 1); block += 1) {
    let same = 0;
    for (let at = block; at < lower.length; at += 1) {
      if (lower.charCodeAt(at) === lower.charCodeAt(at - block)) same += 1;
    }
    if (same >= repeatedShare * lower.length) return true;
  }
  // Without separators: they are alike between any two words.
  const text = alphanumericOf(lower);
  return text.length >= 2 * shortestRepeat && countOutsideRepeats(text) < fewestOutside;
}

/** Number of characters of a text that are in no block that occurs elsewhere in it as well. */
function countOutsideRepeats(text: string): number {
  const isRepeat = new Uint8Array(text.length);
  const firstAt = new Map<string, number>();
  for (let at = 0; at + shortestRepeat <= text.length; at += 1) {
    const block = text.slice(at, at + shortestRepeat);
    const first = firstAt.get(block);
    if (first === undefined) firstAt.set(block, at);
    else if (at - first >= shortestRepeat) {
      isRepeat.fill(1, first, first + shortestRepeat);
      isRepeat.fill(1, at, at + shortestRepeat);
    }
  }
  return isRepeat.filter((one) => one === 0).length;
}

/** Shorter names occur in other words by chance, and count only as separate words. */
const shortestPart = 4;
const shortestAlone = 2;
/** Characters that a password must have besides the names in it. */
const minOwnCharacters = 8;
const minOtherCharacters = 4;

/** Whether little is left of a password without its owner's names and email address. */
export function isPersonal(lower: string, about: readonly string[]): boolean {
  const names = about.filter((text) => !text.includes("@")).map((text) => alphanumericOf(folded(text)));
  const joined = [names.join(""), names.toReversed().join("")];
  const parts = [...about.flatMap(partsOf), ...joined];
  // The longest first, so that a whole address goes before its parts.
  const long = parts.filter((part) => part.length >= shortestPart).sort((a, b) => b.length - a.length);
  const short = new Set(parts.filter((part) => part.length >= shortestAlone && part.length < shortestPart));
  const spellings = [lower, withoutLeet(lower)];
  return [...spellings, ...spellings.map(alphanumericOf)].some((text) => {
    let rest = text;
    for (const part of long) rest = rest.replaceAll(part, " ");
    if (rest !== text && countAlphabetic(rest) < minOwnCharacters) return true;
    const words = rest.split(/[^\p{L}]+/u);
    const others = words.filter((word) => !short.has(word));
    return others.length < words.length && countAlphabetic(others.join("")) < minOtherCharacters;
  });
}

const folded = (text: string): string => text.normalize("NFKC").toLowerCase();
const countAlphabetic = (text: string): number => text.replace(/[^\p{L}]/gu, "").length;

function partsOf(text: string): string[] {
  const lower = folded(text);
  const [local = "", domain = ""] = lower.split("@");
  const words = lower.split(/[^\p{L}\p{N}]+/u);
  return [lower, local, domain, alphanumericOf(lower), alphanumericOf(local), ...words];
}
