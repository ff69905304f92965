import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFakeClock } from "@svc/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { days } from "../../../platform/durations.ts";
import { createAuthority, expiryOf, issueCertificate } from "./certificate.ts";
import { openEmbeddedPki } from "./embedded-pki.ts";
import { type MintRefused, mintCertificate } from "./mint.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-pki-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const now = new Date("2026-05-06T07:08:09.000Z");
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("a certificate", () => {
  test("is issued by its authority for a client and a server, from a little before now", () => {
    const authority = createAuthority({ name: "authority", now, validityDays: 10 });
    const issued = issueCertificate(authority, {
      name: "scheduler-1",
      now,
      validityDays: 2,
      dnsNames: ["a.example.org", "localhost"],
      addresses: ["127.0.0.1", "::1"],
    });
    const [parsed, parent] = [issued, authority].map(({ certificate }) => new X509Certificate(certificate));
    expect(parsed?.checkIssued(parent!)).toBe(true);
    expect(parsed?.verify(parent!.publicKey)).toBe(true);
    expect(parsed).toMatchObject({
      subject: "CN=scheduler-1",
      issuer: "CN=authority",
      ca: false,
      subjectAltName: "DNS:a.example.org, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1",
      validFrom: "May  6 07:03:09 2026 GMT",
      validTo: "May  8 07:08:09 2026 GMT",
    });
    expect(parsed?.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.1"]);
    expect(parent?.ca).toBe(true);
    expect(parsed?.publicKey.asymmetricKeyDetails).toMatchObject({ namedCurve: "prime256v1" });
    expect(parsed?.serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/);
    expect(expiryOf(issued.certificate)).toEqual(new Date("2026-05-08T07:08:09Z"));
  });

  test("can expire after 2049", () => {
    const { certificate } = createAuthority({ name: "authority", now, validityDays: 10_000 });
    expect(expiryOf(certificate)).toEqual(new Date(now.getTime() + days(10_000)));
  });
});

describe("minting", () => {
  const mint = (given: Partial<Parameters<typeof mintCertificate>[0]> = {}) =>
    mintCertificate({
      folder: join(folder, "pki"),
      name: "scheduler-1",
      validityDays: 365,
      replaces: false,
      now,
      ...given,
    });
  const refusal = (act: () => unknown): unknown => {
    try {
      return act();
    } catch (error) {
      return (error as MintRefused).reason;
    }
  };

  test("creates an authority once, and files that only this user may read", () => {
    const first = mint();
    expect(first).toEqual({
      certificatePath: join(folder, "pki", "scheduler-1.pem"),
      keyPath: join(folder, "pki", "scheduler-1.key"),
      authorityPath: join(folder, "pki", "ca.pem"),
      isNewAuthority: true,
      expiresAt: new Date(now.getTime() + days(365)),
    });
    const second = mint({ name: "brain.example.org" });
    expect(second.isNewAuthority).toBe(false);
    const authority = new X509Certificate(readFileSync(first.authorityPath));
    for (const { certificatePath } of [first, second])
      expect(new X509Certificate(readFileSync(certificatePath)).verify(authority.publicKey)).toBe(true);
    expect(new X509Certificate(readFileSync(second.certificatePath)).checkHost("brain.example.org")).toBeDefined();
    expect(modeOf(join(folder, "pki"))).toBe(0o700);
    const names = readdirSync(join(folder, "pki"));
    expect(names.sort()).toEqual([
      "brain.example.org.key",
      "brain.example.org.pem",
      "ca.key",
      "ca.pem",
      "scheduler-1.key",
      "scheduler-1.pem",
    ]);
    for (const name of names) expect(modeOf(join(folder, "pki", name))).toBe(0o600);
  });

  test.each(["", "ca", "../x", "a/b", ".hidden", "a b", "é", "x".repeat(65)])("refuses the name %j", (name) => {
    expect(refusal(() => mint({ name }))).toBe("name");
    expect(existsSync(join(folder, "pki"))).toBe(false);
  });

  test("overwrites nothing, unless it replaces a certificate", () => {
    const { keyPath, certificatePath, authorityPath } = mint();
    const key = readFileSync(keyPath, "utf8");
    rmSync(certificatePath);
    expect(refusal(() => mint())).toBe("exists");
    expect(readFileSync(keyPath, "utf8")).toBe(key);
    expect(mint({ replaces: true }).isNewAuthority).toBe(false);
    const renewed = new X509Certificate(readFileSync(certificatePath));
    expect(renewed.checkPrivateKey(createPrivateKey(readFileSync(keyPath)))).toBe(true);
    expect(renewed.verify(new X509Certificate(readFileSync(authorityPath)).publicKey)).toBe(true);
    expect(readFileSync(keyPath, "utf8")).not.toBe(key);
  });

  test("refuses a certificate that is valid for longer than its authority", () => {
    mint({ validityDays: 3650 });
    const late = new Date(now.getTime() + days(3660 - 100));
    expect(refusal(() => mint({ name: "late", now: late }))).toBe("outlives_authority");
    expect(mint({ name: "late", now: late, validityDays: 100 }).isNewAuthority).toBe(false);
  });

  test("refuses an authority that is damaged or none", () => {
    const { authorityPath } = mint();
    const leaf = readFileSync(join(folder, "pki", "scheduler-1.pem"), "utf8");
    for (const text of ["", leaf]) {
      writeFileSync(authorityPath, text);
      expect(refusal(() => mint({ name: "other" }))).toBe("authority");
    }
    writeFileSync(authorityPath, leaf);
    writeFileSync(join(folder, "pki", "ca.key"), readFileSync(join(folder, "pki", "scheduler-1.key")));
    expect(refusal(() => mint({ name: "other" }))).toBe("authority");
  });
});

describe("the certificates of the embedded scheduler", () => {
  test("are kept, private, and belong together", () => {
    const pki = openEmbeddedPki(join(folder, "pki"), now);
    expect(openEmbeddedPki(join(folder, "pki"), now)).toEqual(pki);
    expect(modeOf(join(folder, "pki"))).toBe(0o700);
    const names = readdirSync(join(folder, "pki"));
    expect(names.sort()).toEqual(["brain.key", "brain.pem", "ca.pem", "scheduler.key", "scheduler.pem"]);
    for (const name of names) expect(modeOf(join(folder, "pki", name))).toBe(0o600);
    const authority = new X509Certificate(pki.server.authority);
    expect(new X509Certificate(pki.server.certificate).verify(authority.publicKey)).toBe(true);
    expect(new X509Certificate(readFileSync(pki.client.certificatePath)).subject).toBe("CN=svc-embedded-scheduler");
    expect(readFileSync(pki.client.authorityPath, "utf8")).toBe(pki.server.authority);
  });

  test("are replaced 60 days before they expire", () => {
    const clock = createFakeClock(now);
    const first = openEmbeddedPki(folder, clock.now());
    clock.advance(days(305) - 1000);
    expect(openEmbeddedPki(folder, clock.now())).toEqual(first);
    clock.advance(1000);
    expect(first.renewAt).toEqual(clock.now());
    const renewed = openEmbeddedPki(folder, clock.now());
    expect(renewed.server.authority).not.toBe(first.server.authority);
    expect(renewed.renewAt).toEqual(new Date(clock.now().getTime() + days(305)));
  });

  test.each(["ca.pem", "brain.pem", "brain.key", "scheduler.pem", "scheduler.key"])(
    "are replaced when %s is missing, damaged or of another authority",
    (name) => {
      let before = openEmbeddedPki(folder, now).server.authority;
      const other = createAuthority({ name: "other", now, validityDays: 1 });
      const changes = [
        () => rmSync(join(folder, name)),
        () => writeFileSync(join(folder, name), "damaged"),
        () => writeFileSync(join(folder, name), name.endsWith("key") ? other.key : other.certificate),
      ];
      for (const change of changes) {
        change();
        const { authority } = openEmbeddedPki(folder, now).server;
        expect(authority).not.toBe(before);
        expect(openEmbeddedPki(folder, now).server.authority).toBe(authority);
        before = authority;
      }
    },
  );

  test("are replaced when the clock was ahead as they were made", () => {
    const ahead = openEmbeddedPki(folder, new Date(now.getTime() + days(1)));
    expect(openEmbeddedPki(folder, now).server.authority).not.toBe(ahead.server.authority);
  });

  test("cannot be made where the folder cannot be written", () => {
    writeFileSync(join(folder, "file"), "");
    expect(() => openEmbeddedPki(join(folder, "file"), now)).toThrow("EEXIST");
  });
});
