import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { templateOf } from "./template.ts";

const id = "3f0c7d1e-5b7a-4f0e-9d53-0f6a2f6a1b11";

describe("the template of a message", () => {
  test.each([
    ["card refused for order 679", "card refused for order <n>"],
    // Quoted strings with every kind of quotation mark, but not apostrophes.
    [
      `key "user 7" or 'other' or \`third\` or “fourth” is missing`,
      `key <string> or <string> or <string> or <string> is missing`,
    ],
    ["Cannot read properties of undefined (reading 'id')", "Cannot read properties of undefined (reading <string>)"],
    ["can't find 'the user's file', isn't there", "can't find <string>, isn't there"],
    [`{"code":"E1","left":2}`, "{<string>:<string>,<string>:<n>}"],
    // URLs.
    [`GET https://pay.example.com/v1/orders/${id}?a=1: refused`, "GET <url>: refused"],
    ["connect redis://10.0.0.7:6379/0.", "connect <url>."],
    // Paths.
    ["ENOENT: no such file, open /srv/shop/jobs/17.json", "ENOENT: no such file, open <path>"],
    [
      "C:\\jobs\\17.json, ~/x, ./a, ../b, templates/receipt_v3.mjml, a/b/c",
      "<path>, <path>, <path>, <path>, <path>, <path>",
    ],
    ["GET /v1/orders/17 failed at run.js:4", "GET <path> failed at run.js:<n>"],
    ["read and/or write application/json, km/h, 3/4", "read and/or write application/json, km/h, <n>/<n>"],
    ["see also /var/log.", "see also <path>."],
    // UUIDs, runs of hexadecimal digits.
    [`order ${id}, ${id.toUpperCase()}, order_${id}`, "order <uuid>, <uuid>, order_<uuid>"],
    ["commit 3f0c7d1e, object at 0x7f10ab, key:DEADBEEF00", "commit <hex>, object at <hex>, key:<hex>"],
    ["commit 3f0c7d1", "commit <n>f<n>c<n>d<n>"],
    // Addresses.
    ["no mailbox for ann.b+c@mail.example.com.", "no mailbox for <email>."],
    // Times.
    ["at 2026-04-01T10:00:00.123Z, 2026-04-01 10:00, 2026-04-01, 10:00:01+02:00", "at <time>, <time>, <time>, <time>"],
    [
      "Wed, 01 Apr 2026 10:00:00 GMT; Wed Apr 1 2026 10:00:00 GMT+0200; 2026/04/01; 04/01/2026 9:05",
      "<time>; <time>; <time>; <time>",
    ],
    // Numbers of any length.
    ["4 of 12345678901234567890 in 1,234.5 ms or 1e-7 or -3", "<n> of <n> in <n> ms or <n> or <n>"],
    ["job42 on eu-1 took 30s at 10.0.0.7:80", "job<n> on eu-<n> took <n>s at <n>:<n>"],
    // Only the first line.
    ["\n first \nsecond 2", "first"],
    ["", ""],
  ])("of %j is %j", (message, template) => {
    expect(templateOf(message)).toBe(template);
  });

  test("replaces in order: a value that contains others is replaced whole", () => {
    expect(templateOf(`"https://a.example/${id}"`)).toBe("<string>");
    expect(templateOf(`https://a.example/srv/${id}/ann@example.com`)).toBe("<url>");
    expect(templateOf(`/srv/${id}/2026-04-01.log`)).toBe("<path>");
    expect(templateOf(id)).toBe("<uuid>");
    expect(templateOf("deadbeef@example.com")).toBe("<hex>@example.com");
    expect(templateOf("7@example.com")).toBe("<email>");
    expect(templateOf("2026-04-01")).toBe("<time>");
  });

  test("is cut at 500 characters, without splitting one", () => {
    expect(templateOf("😀".repeat(600))).toBe("😀".repeat(500));
    expect(templateOf("a 1 ".repeat(600))).toHaveLength(500);
  });

  test("of any text has no digit, and is its own template", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        expect(templateOf(text)).not.toMatch(/\d/);
      }),
    );
  });
});
