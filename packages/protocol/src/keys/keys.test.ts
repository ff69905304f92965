import { describe, expect, test } from "vitest";
import { decodeHmacSecret, hmacSecretOf, projectSecret, purgeConfirmToken, swappedUuidBytes } from "./derivation.ts";
import { equalSecrets, randomApiKey, randomNonce, randomToken, tokenDigest, tokenLabels } from "./tokens.ts";

const master = "0123456789abcdef0123456789abcdef-demo-master";
const projectId = "11111111-2222-4333-8444-555555555555";
const secret = projectSecret(master, projectId);
const hmacSecret = "j4FxN6bu7pg1VUy72FgvUZHfy_AELjCuIGv3ijjSz6I=";

describe("key derivation", () => {
  test("gives the documented vectors", () => {
    expect(swappedUuidBytes(projectId).toString("hex")).toBe("11111111222233438444555555555555");
    expect(secret.toString("hex")).toBe("8f817137a6eeee9835554cbbd8582f5191dfcbf0042e30ae206bf78a38d2cfa2");
    expect(hmacSecretOf(secret)).toBe(hmacSecret);
    expect(purgeConfirmToken(secret, "default", 42)).toBe(
      "27ff54f1dcfd55e47bb368c3f1fe56bf2e0ad46dc058e20a0b817926aa8c936a",
    );
  });

  test("refuses a project id that is not a UUID", () => {
    expect(() => projectSecret(master, "project-1")).toThrow(RangeError);
  });
});

describe("decodeHmacSecret", () => {
  test.each([hmacSecret, hmacSecret.slice(0, -1), ` ${hmacSecret.slice(0, 20)}\n${hmacSecret.slice(20)}\t`])(
    "reads %j, whatever its padding and white space",
    (text) => {
      expect(decodeHmacSecret(text)).toEqual(secret);
    },
  );

  test.each(["", "abc", Buffer.alloc(31).toString("base64url"), `${hmacSecret.slice(0, -2)}!!`, "+".repeat(44)])(
    "refuses %j without repeating it",
    (text) => {
      const refusal = captureError(() => decodeHmacSecret(text));
      expect(refusal).toBeInstanceOf(RangeError);
      if (text !== "") expect(String(refusal)).not.toContain(text);
    },
  );
});

describe("tokens", () => {
  test("have the documented digests", () => {
    expect(tokenDigest(master, tokenLabels.agentToken, "tok_example_plaintext")).toBe(
      "1bee14fdddb9bb9acd6a64faa882e7a1cb797fe54b9a538060ad9d9107051ed7",
    );
    expect(tokenDigest(master, tokenLabels.apiKey, "svk_example_plaintext")).toBe(
      "4d9fb43b3fd06b1ec01f8939ca32eaa1b5a2211f47cc4f0c35ff2e0619abf8db",
    );
  });

  test("are fresh unpadded base64url of the stated lengths", () => {
    expect(randomToken()).toMatch(/^[\w-]{43}$/);
    expect(randomApiKey()).toMatch(/^svk_[\w-]{43}$/);
    expect(randomNonce()).toMatch(/^[\w-]{22}$/);
    expect(randomToken()).not.toBe(randomToken());
  });

  test("are equal only when every byte is", () => {
    expect(equalSecrets("abc", "abc")).toBe(true);
    expect(equalSecrets("abc", "abd")).toBe(false);
    expect(equalSecrets("abc", "abcd")).toBe(false);
    expect(equalSecrets("é", "e")).toBe(false);
  });
});

function captureError(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}
