import { describe, expect, test } from "vitest";
import { RedactionPatternError } from "./extra-patterns.ts";
import { redactionMarker } from "./markers.ts";
import { createRedactor } from "./redactor.ts";

describe("extra key patterns", () => {
  const { redact } = createRedactor({ extraKeyPatterns: ["internal_?id", "x-acme-.*"] });

  test("must match the whole key, in any case, with or without separators", () => {
    expect(redact({ internalId: 1, "INTERNAL-ID": 2, "X-Acme-Key": 3, my_internal_id: 4, acme: 5 })).toEqual({
      internalId: redactionMarker,
      "INTERNAL-ID": redactionMarker,
      "X-Acme-Key": redactionMarker,
      my_internal_id: 4,
      acme: 5,
    });
  });

  test("make a key of more than 64 characters count as sensitive", () => {
    const [long, longer] = ["k".repeat(64), "k".repeat(65)];
    expect(redact({ [long]: 1, [longer]: 1 })).toEqual({ [long]: 1, [longer]: redactionMarker });
  });

  test.each(["(", "a)(b", "[z-a]", "", "(a+)+", "(a|a)*b?", "([a-z_]+)*", "(.*)*x"])(
    "%j stops the start",
    (pattern) => {
      expect(() => createRedactor({ extraKeyPatterns: [pattern] })).toThrow(RedactionPatternError);
    },
  );
});

describe("extra value patterns", () => {
  const { redact } = createRedactor({ extraValuePatterns: ["acme-[0-9]{4}"] });

  test("match anywhere in a string, in any case, in keys and short strings too", () => {
    expect(redact({ a: "see ACME-1234.", "acme-0000": 1, b: "acme-12" })).toEqual({
      a: redactionMarker,
      [redactionMarker]: 1,
      b: "acme-12",
    });
  });

  test("work together with the defaults", () => {
    expect(redact(["bob@example.com", "plain"])).toEqual([redactionMarker, "plain"]);
  });

  test.each(["(", "", "(a+)+$", "(x|x)*y"])("%j stops the start", (pattern) => {
    expect(() => createRedactor({ extraValuePatterns: [pattern] })).toThrow(RedactionPatternError);
  });
});

test("defaults can be switched off as a whole, which leaves the extra patterns", () => {
  const { redact } = createRedactor({
    defaultsEnabled: false,
    extraKeyPatterns: ["pin"],
    extraValuePatterns: ["acme"],
  });
  expect(redact({ password: "x", mail: "bob@example.com", pin: 1, who: "acme" })).toEqual({
    password: "x",
    mail: "bob@example.com",
    pin: redactionMarker,
    who: redactionMarker,
  });
});
