import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { isCommonPassword } from "./common-passwords.ts";
import { passwordFaults } from "./password-policy.ts";

const path = createRequire(import.meta.url).resolve("@zxcvbn-ts/language-common/src/passwords.json");
const listed = (JSON.parse(readFileSync(path, "utf8")) as string[]).slice(0, 10_000);
const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
const hasLetter = (text: string) => /\p{L}/u.test(text);

/** Park and Miller's generator: the same numbers in every run. */
function generator(seed: number) {
  let state = seed;
  const below = (end: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % end;
  };
  const text = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet.charAt(below(alphabet.length))).join("");
  return { below, text, pick: <T>(from: readonly T[]) => from[below(from.length)] as T };
}

describe("the most common passwords", () => {
  test.each([
    ["", "-2026-!7"],
    ["#28", "!2026"],
    ["", "123!!2026"],
    ["2026-", "!!00"],
    ["!7$", "_9"],
    ["--19", "84--!7$$2026"],
  ])("are refused between %j and %j", (before, after) => {
    const accepted = listed.filter(hasLetter).filter((word) => !isCommonPassword(before + word + after));
    expect(accepted).toEqual([]);
  });

  test.each([
    ["", "-2026-!7"],
    ["#28", "!2026"],
  ])("make no password between %j and %j, numbers among them", (before, after) => {
    const accepted = listed.filter((word) => passwordFaults(before + capitalized(word) + after, 12).length === 0);
    expect(accepted).toEqual([]);
  });

  test.each([
    "Abc123-!2026",
    "123Qwe!!2026",
    "1234Qwer!!2026",
    "1Q2w3e4r-2026",
    "Lol123!!2026",
    "Qwe123!!2026",
    "A123456-!!2026",
  ])("that begin or end with digits are found next to other digits, as in %s", (password) =>
    expect(passwordFaults(password, 12)).toEqual(["common"]),
  );

  test.each(["12345678-2026-!7", "2026--12345678--2027", "#2026!21122112#2027", "--20262026123456789--"])(
    "that are numbers are found in %s",
    (password) => expect(passwordFaults(password, 12)).toContain("common"),
  );

  test.each(["$ecret--2026", "2026-P4$$w0rd", "4dm1n!!!2026#", "Sex-2026-!!7"])(
    "are found with digits and signs as substitutes, or as short ones, as in %s",
    (password) => expect(passwordFaults(password, 12)).toContain("common"),
  );
});

describe("strong passwords", () => {
  const alphabetic = "abcdefghijklmnopqrstuvwxyz";
  const alphabets = {
    "characters, digits and signs": [`${alphabetic}${alphabetic.toUpperCase()}0123456789!#%+-=?_$@`, 14],
    "characters and digits": [`${alphabetic}0123456789`, 16],
    "hexadecimal digits": ["0123456789abcdef", 24],
    "digits and signs": ["0123456789!#%+-=?_$@", 20],
    digits: ["0123456789", 20],
  } as const;

  test.each(Object.entries(alphabets))("of random %s are not taken for common ones", (_name, [alphabet, length]) => {
    const { text } = generator(20_261_124);
    const passwords = Array.from({ length: 10_000 }, () => text(alphabet, length));
    expect(passwords.filter((password) => isCommonPassword(password.toLowerCase()))).toEqual([]);
  });

  test("may hold a common one, unless nothing but digits and signs is around it", () => {
    const { text, pick, below } = generator(20_261_125);
    const short = listed.filter((word) => word.length <= 5);
    const passwords = Array.from({ length: 10_000 }, () => {
      const around = text(alphabets["characters, digits and signs"][0], 14);
      const at = below(around.length + 1);
      return around.slice(0, at) + pick(short) + around.slice(at);
    });
    expect(passwords.filter((password) => isCommonPassword(password.toLowerCase()))).toEqual([]);
  });

  test("may hold numbers that are common", () => {
    const { text, pick } = generator(20_261_126);
    const numbers = listed.filter((word) => /^\d{4,7}$/.test(word));
    const passwords = Array.from({ length: 10_000 }, () =>
      [text("0123456789", 7), pick(numbers), text("0123456789", 7)].join(pick(["-", "", "!"])),
    );
    expect(passwords.filter(isCommonPassword)).toEqual([]);
  });
});
