import { randomToken, tokenDigest, tokenLabels } from "@svc/protocol";
import { describe, expect, test } from "vitest";
import { candidateDigests, sha256Hex, storedDigest } from "./digests.ts";
import { createKeyring } from "./keyring.ts";
import { mintSessionCookie, sessionDigestOf } from "./session-cookies.ts";

const old = "o".repeat(32);
const current = "c".repeat(32);

describe("a keyring", () => {
  test("lists the current master first and each once", () => {
    expect(createKeyring(current, [old, current])).toEqual({ current, all: [current, old] });
  });

  test("refuses a short master, wherever it stands", () => {
    expect(() => createKeyring("short")).toThrow(RangeError);
    expect(() => createKeyring(current, ["short"])).toThrow(RangeError);
  });
});

describe("token digests", () => {
  test("are stored under the current master and found under every one", () => {
    const token = randomToken();
    const before = storedDigest(createKeyring(old), tokenLabels.agentToken, token);
    const rotated = createKeyring(current, [old]);
    expect(before).toBe(tokenDigest(old, tokenLabels.agentToken, token));
    expect(candidateDigests(rotated, tokenLabels.agentToken, token)).toEqual([
      storedDigest(rotated, tokenLabels.agentToken, token),
      before,
    ]);
  });
});

describe("a session cookie", () => {
  test("leads to the digest of its random part, also after the secret was rotated", () => {
    const { cookie, digest } = mintSessionCookie(createKeyring(old));
    const [random] = cookie.split(".") as [string];
    expect(digest).toBe(sha256Hex(Buffer.from(random, "base64url")));
    expect(sessionDigestOf(createKeyring(old), cookie)).toBe(digest);
    expect(sessionDigestOf(createKeyring(current, [old]), cookie)).toBe(digest);
    expect(sessionDigestOf(createKeyring(current), cookie)).toBeNull();
  });

  test("with any character changed, cut or added leads nowhere", () => {
    const keyring = createKeyring(current);
    const { cookie } = mintSessionCookie(keyring);
    for (let at = 0; at < cookie.length; at += 1) {
      const changed = cookie.slice(0, at) + (cookie[at] === "A" ? "B" : "A") + cookie.slice(at + 1);
      expect(sessionDigestOf(keyring, changed)).toBeNull();
    }
    for (const wrong of ["", ".", cookie.slice(1), `${cookie}=`, `${cookie} `, cookie.replace(".", "")]) {
      expect(sessionDigestOf(keyring, wrong)).toBeNull();
    }
  });
});
