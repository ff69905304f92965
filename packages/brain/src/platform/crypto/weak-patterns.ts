import { betweenLetters, betweenLettersAndDigits, withoutLeet } from "./common-passwords.ts";

// Passwords that look long and are quickly guessed. Each rule goes over the text a fixed number of times.

/** Keys and letters in their order; one is typed by running a finger along it, in either direction. */
const rows = [
  "1234567890",
  "!@#$%^&*()",
  "abcdefghijklmnopqrstuvwxyz",
  ...["qwertyuiop", "asdfghjkl", "zxcvbnm"],
  ...["qwertzuiop", "yxcvbnm"],
  ...["azertyuiop", "qsdfghjklm", "wxcvbn"],
  ...["1qaz", "2wsx", "3edc", "4rfv", "5tgb", "6yhn", "7ujm", "8ik,", "9ol.", "0p;/"],
  ...["!qaz", "@wsx", "#edc", "$rfv", "%tgb", "^yhn", "&ujm"],
].map((row) => new Map([...row].map((key, place) => [key, place])));
const shortestRun = 3;
/** How much of a password its runs must make up. */
const mostOfIt = 2 / 3;

/** Whether most of a password in lower case is runs of neighbouring keys or letters, such as `qwertyuiop` and `1234`. */
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
      // A run that turns round goes on from its last key.
      from = isNeighbour ? at - 1 : at;
      step = isNeighbour ? moved : 0;
    }
  }
  return lower.length > 0 && isInRun.reduce((sum, one) => sum + one, 0) >= mostOfIt * lower.length;
}

/** Blocks up to this length are found wherever they begin; longer ones when the whole password is made of them. */
const longestBlock = 24;
const repeatedShare = 0.55;
const fewestCharacters = 5;

/** Whether most of a password is one character or block repeated, such as `aaaaaaaa` and `abcabcabc`. */
export function isRepeated(lower: string): boolean {
  if (lower.length >= 8 && new Set(lower).size < fewestCharacters) return true;
  for (let block = 1; block <= Math.min(longestBlock, lower.length - 1); block += 1) {
    let same = 0;
    for (let at = block; at < lower.length; at += 1) {
      if (lower.charCodeAt(at) === lower.charCodeAt(at - block)) same += 1;
    }
    if (same >= repeatedShare * lower.length) return true;
  }
  return [lower, betweenLettersAndDigits(lower), betweenLetters(lower)].some(
    (core) => core.length * 2 >= lower.length && isOnePartRepeated(core),
  );
}

/** Whether a text is a part of at least two characters, over and over; the last one may be cut. */
function isOnePartRepeated(text: string): boolean {
  if (text.length < 8) return false;
  // The failure function of Knuth, Morris and Pratt: the longest beginning that also ends here.
  const border = new Uint16Array(text.length);
  for (let at = 1, length = 0; at < text.length; at += 1) {
    while (length > 0 && text.charCodeAt(at) !== text.charCodeAt(length)) length = border[length - 1] as number;
    if (text.charCodeAt(at) === text.charCodeAt(length)) length += 1;
    border[at] = length;
  }
  return text.length - (border[text.length - 1] as number) <= text.length / 2;
}

/** Shorter names stand in other words by chance. */
const shortestPart = 4;
/** What must be left of a password without the names in it. */
const fewestOwnLetters = 8;

/** Whether little is left of a password without its owner's names and e-mail address. */
export function isPersonal(lower: string, about: readonly string[]): boolean {
  const parts = about.flatMap(partsOf).filter((part) => part.length >= shortestPart);
  return [lower, withoutLeet(lower)].some((text) => {
    let rest = text;
    // The longest first, so that a whole address goes before its parts.
    for (const part of parts.toSorted((a, b) => b.length - a.length)) rest = rest.replaceAll(part, " ");
    return rest !== text && rest.replace(/[^\p{L}]/gu, "").length < fewestOwnLetters;
  });
}

function partsOf(text: string): string[] {
  const lower = text.normalize("NFKC").toLowerCase();
  const [local = "", domain = ""] = lower.split("@");
  const words = lower.split(/[^\p{L}\p{N}]+/u);
  return [lower, local, domain, lower.replace(/[^\p{L}\p{N}]/gu, ""), local.replace(/[^\p{L}\p{N}]/gu, ""), ...words];
}
