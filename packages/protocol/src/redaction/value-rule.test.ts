import { growthOf, mostGrowth } from "@svc/testkit/expressions";
import { describe, expect, test } from "vitest";
import { redactionMarker } from "./markers.ts";
import { createRedactor } from "./redactor.ts";

const { redact } = createRedactor();
const alnum = (length: number) => "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0z".repeat(4).slice(0, length);
const hex = (length: number) => "0123456789abcdef".repeat(4).slice(0, length);

describe("value families hit", () => {
  // Built from parts, so a secret scanner does not report the samples.
  test.each([
    ["a JSON Web Token", `eyJhbGciOiJIUzI1NiJ9.${alnum(20)}.${alnum(43)}`],
    ["a JSON Web Token after a prefix", `session-1_eyJhbGciOiJIUzI1NiJ9.${alnum(20)}.${alnum(43)}`],
    ["a bearer", `Bearer ${alnum(16)}`],
    ["a bearer with other characters", "bearer \t a.b~c+d/e=f-g_h.i.j"],
    ["a live secret key", `sk_live_${alnum(24)}`],
    ["a test publishable key", `PK_TEST_${alnum(24)}`],
    ["a restricted key", `rk_live_${alnum(30)}`],
    ["a webhook secret", `whsec_${alnum(24)}`],
    ["chat tokens", `xoxb-${alnum(12)}`],
    ["chat tokens", `xoxa-${alnum(12)}`],
    ["chat tokens", `xoxp-${alnum(12)}`],
    ["personal tokens", `ghp_${alnum(36)}`],
    ["personal tokens", `gho_${alnum(36)}`],
    ["personal tokens", `ghs_${alnum(36)}`],
    ["fine-grained tokens", `github_pat_${alnum(82)}`],
    ["access key ids", `AKIA${alnum(16)}`],
    ["temporary access key ids", `ASIA${alnum(16)}`],
    ["an incoming webhook", `https://hooks.${"slack"}.com/services/T000/B000/${alnum(24)}`],
    ["an API key", `AIza${alnum(35)}`],
    ["an SK key", `SK${hex(32)}`],
    ["a mail service key", `SG.${alnum(22)}.${alnum(43)}`],
    ["a URL with credentials", "postgres://user:pw@db:5432/x"],
    ["a URL with a password only", "redis://:pw@cache"],
    ["a private key", `-----BEGIN ${"RSA"} PRIVATE KEY-----`],
    ["a private key without kind", `-----BEGIN ${"PRIVATE"} KEY-----`],
    ["an email address", "bob.o'neil+x@mail.example.com"],
    ["an email address", "ü@münchen.de"],
    ["a social security number", "123-45-6789"],
  ])("%s (%#)", (_, secret) => {
    expect(redact(secret)).toBe(redactionMarker);
    expect(redact(`before ${secret} after`)).toBe(redactionMarker);
    expect(redact([`\n(${secret})`])).toEqual([redactionMarker]);
  });
});

describe("value families leave alone", () => {
  test.each([
    "heyjude.mp3.gz",
    "eyJonly.two",
    `Bearer ${alnum(15)}`,
    "bearer of good news",
    `sk_live_${alnum(23)}`,
    `sk_prod_${alnum(24)}`,
    `whsec_${alnum(23)}`,
    "xoxo-hugs",
    `ghp_${alnum(35)}`,
    `github_pat_${alnum(81)}`,
    `AKIA${alnum(15)}`,
    "https://hooks.example.com/services/T000",
    `AIza${alnum(34)}`,
    `SK${hex(31)}`,
    `SK${hex(33)}`,
    `aSK${hex(32)}`,
    `SG.${alnum(22)}.${alnum(42)}`,
    "http://host:80/path?at=a@b",
    "http://user@host/",
    "-----BEGIN PUBLIC KEY-----",
    "lodash@4.17.21",
    "@app.task",
    "celery@worker-1",
    "1123-45-67890",
    "2026-01-02",
    "3f0c7d1e-5b7a-4f0e-9d53-0f6a2f6a1b11",
    "",
  ])("%s", (text) => {
    expect(redact(text)).toBe(text);
  });
});

test("every family takes linear time, also on worst-case text", () => {
  const wide = createRedactor({ maxStringBytes: 100_000 });
  const beginnings = [
    ...[
      "a",
      "0",
      " ",
      "-",
      ".",
      "_",
      ":",
      "/",
      "@",
      "eyJ",
      "eyJ.",
      "eyJa.",
      "a.",
      "-eyJ",
      "-eyJ-",
      "-eyJa.a",
      "bearer ",
      "bearer",
      "bearer a",
    ],
    ...[
      "sk_live_",
      "sk_live_a",
      "whsec_",
      "xox",
      "ghp_a",
      "github_pat_a",
      "akia",
      "aAKIAa",
      "hooks.slack.com/",
      "aiza",
      "AIza-",
    ],
    ...[
      "sk0",
      "SK0a",
      "sg.",
      "sg.a.",
      "://",
      "://a",
      "://a:",
      "://a:b",
      "://:",
      "-----begin ",
      "-----begin a ",
      "-----BEGIN ",
    ],
    ...[
      "4",
      "41 ",
      "4-",
      "4111 ",
      "4111-1111 ",
      "411111111111 ",
      "22222222222222222222 ",
      "de89",
      "de89 ",
      "DE89-3",
      " de12 3",
      "gb29nwbk",
    ],
    ...["private key", "a@", "a@a.", "a@a", "@a.a", "a@a.b.", "000-00-", "0-", "00-", "123-45-678", "é@", "é.", "@é."],
    ...[
      "%",
      "%25",
      "%3D",
      "%20",
      "%204",
      "%B4",
      "%B4111111111111111",
      "\\u",
      "\\u0022",
      "\\n",
      "\\nde89",
      "%5C",
      "%3Dde89",
    ],
    // Many matches in one text.
    ...["%204111111111111111", "%B4111111111111111^", "\\nDE89370400440532013000 "],
    ...["4111111111111111 ", "4111 1111 1111 1111-", "DE89370400440532013000 ", "a@b.co ", "123-45-6789 ", "://a:b@ "],
  ];
  for (const beginning of beginnings) {
    for (const before of ["", "://a:", "a@", "eyJ"]) {
      const whole = (length: number) => before + beginning.repeat(Math.ceil(length / Buffer.byteLength(beginning)));
      const hurtful = (length: number) => (before === "" ? whole(length) : whole(length).slice(0, -8));
      const text = hurtful(4_096);
      const redacted = wide.redact(text);
      expect([text, redactionMarker]).toContain(redacted);
      // Masking distinguishes the same texts.
      expect(wide.mask(text) === text).toBe(redacted === text);
      const read = (given: string) => [wide.redact(given), wide.mask(given)];
      expect([before, beginning, growthOf(read, hurtful) < mostGrowth]).toEqual([before, beginning, true]);
    }
  }
});
