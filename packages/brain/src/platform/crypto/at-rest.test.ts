import { describe, expect, test } from "vitest";
import { openSecret, SealedSecretError, sealSecret } from "./at-rest.ts";
import { createKeyring } from "./keyring.ts";

const first = "first-master-secret-0123456789abcdef";
const second = "second-master-secret-0123456789abcdef";
const owner = "2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d";

describe("a secret at rest", () => {
  test("is opened for the row that owns it, and is another text every time", () => {
    const masters = createKeyring(first);
    const sealed = sealSecret(masters, owner, "JBSWY3DPEHPK3PXP");
    expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$/);
    expect(sealed).not.toContain("JBSWY3DPEHPK3PXP");
    expect(sealSecret(masters, owner, "JBSWY3DPEHPK3PXP")).not.toBe(sealed);
    expect(openSecret(masters, owner, sealed)).toEqual({ secret: "JBSWY3DPEHPK3PXP", isOutdated: false });
  });

  test("of an earlier master is decrypted and reported as outdated", () => {
    const sealed = sealSecret(createKeyring(first), owner, "ключ");
    expect(openSecret(createKeyring(second, [first]), owner, sealed)).toEqual({ secret: "ключ", isOutdated: true });
  });

  test.each([
    ["another row's", (sealed: string) => [sealed, "6f1d9a52-7c1e-4a80-9b65-0f0d7a3f1c22", first]],
    ["an unknown master's", (sealed: string) => [sealed, owner, second]],
    [
      "a changed",
      (sealed: string) => [sealed.slice(0, 20) + (sealed[20] === "A" ? "B" : "A") + sealed.slice(21), owner, first],
    ],
    ["a cut", (sealed: string) => [sealed.slice(0, 30), owner, first]],
    ["a plain", () => ["JBSWY3DPEHPK3PXP", owner, first]],
  ])("is not opened as %s", (_, make) => {
    const [text = "", id = "", master = ""] = make(sealSecret(createKeyring(first), owner, "secret"));
    expect(() => openSecret(createKeyring(master), id, text)).toThrow(SealedSecretError);
  });
});
