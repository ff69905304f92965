import { Secret, TOTP } from "otpauth";
import { describe, expect, test } from "vitest";
import { createKeyring } from "../../../platform/crypto/keyring.ts";
import { mintRecoveryCodes, recoveryDigests } from "./recovery-codes.ts";
import { newTotpSecret, provisioningUrl, stepOfCode } from "./totp.ts";

const at = (seconds: number) => new Date(seconds * 1000);

describe("a code of an authenticator app", () => {
  // RFC 6238, appendix B: the secret is the ASCII text below; these are the last six of its eight digits.
  const secret = Secret.fromLatin1("12345678901234567890").base32;

  test.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("is that of RFC 6238 at second %i", (seconds, code) => {
    expect(stepOfCode(secret, code, at(seconds))).toBe(Math.floor(seconds / 30));
  });

  test("is accepted one step early and one step late, and no further", () => {
    const stepNow = 41_152_263;
    const codeOf = (step: number) => TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: step * 30_000 });
    const steps = [-2, -1, 0, 1, 2].map((away) => stepOfCode(secret, codeOf(stepNow + away), at(stepNow * 30)));
    expect(steps).toEqual([null, stepNow - 1, stepNow, stepNow + 1, null]);
  });

  test.each(["", "28708", "2870822", "abcdef"])("is not %j", (code) => {
    expect(stepOfCode(secret, code, at(59))).toBeNull();
  });
});

test("a secret has 160 bits, and its URL contains all parameters for apps", () => {
  const secret = newTotpSecret();
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  const url = new URL(provisioningUrl(secret, "mira+x@example.org"));
  expect(url.href).toMatch(/^otpauth:\/\/totp\/svc:mira%2Bx%40example\.org\?/);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    ...{ issuer: "svc", secret, algorithm: "SHA1", digits: "6", period: "30" },
  });
});

describe("recovery codes", () => {
  const old = "master-secret-0123456789-0123456789";
  const masters = createKeyring(old);

  test("are the requested number of distinct codes of three groups of five, without similar characters", () => {
    const { codes, digests } = mintRecoveryCodes(masters, 50);
    expect([new Set(codes).size, new Set(digests).size]).toEqual([50, 50]);
    for (const code of codes) expect(code).toMatch(/^[A-HJKMNP-Z2-9]{5}(-[A-HJKMNP-Z2-9]{5}){2}$/);
    for (const digest of digests) expect(digest).toMatch(/^[0-9a-f]{64}$/);
  });

  test("are found regardless of case, hyphens and spaces, and under an earlier master", () => {
    const { codes, digests } = mintRecoveryCodes(masters, 1);
    const [code = "", digest = ""] = [codes[0], digests[0]];
    for (const typed of [code, code.toLowerCase(), code.replaceAll("-", ""), code.replaceAll("-", " ")])
      expect(recoveryDigests(masters, typed)).toEqual([digest]);
    expect(recoveryDigests(createKeyring("another-secret-0123456789-012345678", [old]), code)).toContain(digest);
    expect(recoveryDigests(createKeyring("another-secret-0123456789-012345678"), code)).not.toContain(digest);
  });
});
