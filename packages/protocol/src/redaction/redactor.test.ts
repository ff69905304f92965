import { anyCharacter } from "@svc/testkit/any-character";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson } from "../json/parse-json.ts";
import { redactionMarker } from "./markers.ts";
import { createRedactor } from "./redactor.ts";

const { redact, redactEvent, redactSnapshot } = createRedactor();

describe("the key rule", () => {
  test.each([
    "password",
    "PASSWORD",
    "accessToken",
    "access-token",
    "x-api-key",
    "XAPIKEY",
    "Set-Cookie",
    "hmac_secret",
    "c_v_v",
  ])("masks the value of %s", (key) => {
    expect(redact({ [key]: "plain" })).toEqual({ [key]: redactionMarker });
  });

  test.each(["passengers", "tokenizer", "token_count", "author", "map_pin"])(
    "leaves %s alone, which does not end in a sensitive phrase",
    (key) => {
      const value = { [key]: "plain" };
      expect(redact(value)).toBe(value);
    },
  );

  test("masks every scalar below the key and keeps the structure", () => {
    expect(redact({ auth: { user: "bob", ids: [1, true, null, [1.5]], none: {} } })).toEqual({
      auth: {
        user: redactionMarker,
        ids: [redactionMarker, redactionMarker, redactionMarker, [redactionMarker]],
        none: {},
      },
    });
  });

  test("masks a number that is kept by its lexeme like any other", () => {
    const value = parseJson('{"cvv":12345678901234567890,"n":12345678901234567890}');
    expect(JSON.stringify(redact(value))).toBe(`{"cvv":"${redactionMarker}","n":12345678901234567890}`);
  });

  test("counts a key of more than 256 characters as sensitive", () => {
    const [long, longer] = ["k".repeat(256), "k".repeat(257)];
    expect(redact({ [long]: 1, [longer]: 1 })).toEqual({ [long]: 1, [longer]: redactionMarker });
  });
});

describe("keys", () => {
  test("are scanned as values", () => {
    expect(redact({ "bob@example.com": { n: 1 }, plain: 2 })).toEqual({ [redactionMarker]: { n: 1 }, plain: 2 });
  });

  test("named __proto__ stay ordinary members", () => {
    const value = redact(JSON.parse('{"__proto__":{"password":"x"},"a":"bob@example.com"}')) as object;
    expect(JSON.stringify(value)).toBe(`{"__proto__":{"password":"${redactionMarker}"},"a":"${redactionMarker}"}`);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe("the walk", () => {
  test("returns the input itself when nothing changed, and shares unchanged parts", () => {
    const value = { a: [1, "x", null], b: { c: true } };
    expect(redact(value)).toBe(value);
    const changed = redact({ ...value, token: "t" }) as typeof value;
    expect(changed.a).toBe(value.a);
  });

  test("never changes its input", () => {
    const value = { list: ["a", "bob@example.com", { secret: 1 }] };
    const before = structuredClone(value);
    redact(value);
    expect(value).toEqual(before);
  });

  test("goes 64 levels deep", () => {
    const nest = (levels: number) => {
      let value: unknown = "x";
      for (let i = 0; i < levels; i += 1) value = [value];
      return value;
    };
    expect(redact(nest(64))).toEqual(nest(64));
    expect(JSON.stringify(redact(nest(65)))).toBe(`${"[".repeat(65)}"${redactionMarker}"${"]".repeat(65)}`);
    expect(JSON.stringify(redact(nest(100_000)))).toBe(`${"[".repeat(65)}"${redactionMarker}"${"]".repeat(65)}`);
  });

  test("replaces a cycle by the marker and keeps repeated values", () => {
    const shared = { a: 1 };
    const cycle: Record<string, unknown> = { first: shared, second: shared };
    cycle.self = cycle;
    expect(redact(cycle)).toEqual({ first: { a: 1 }, second: { a: 1 }, self: redactionMarker });
  });

  test("terminates on values that expand without end", () => {
    let value: unknown = "x";
    for (let level = 0; level < 60; level += 1) value = [value, value];
    expect(Array.isArray(redact(value))).toBe(true);
    expect(redact([new Array(2_000_000)])).toEqual([redactionMarker]);
  });

  test("gives values without JSON form their string form", () => {
    class Point {
      readonly x = 1;
      readonly hidden = undefined;
    }
    const value = {
      date: new Date("2026-01-02T03:04:05Z"),
      big: 12345678901234567890n,
      nan: Number.NaN,
      call: function work() {},
      mark: Symbol("s"),
      map: new Map(),
      error: new TypeError("bad"),
      bytes: new Uint8Array(3),
      point: new Point(),
      absent: undefined,
      holes: [undefined, 1],
    };
    expect(JSON.parse(JSON.stringify(redact(value)))).toEqual({
      date: "2026-01-02T03:04:05.000Z",
      big: Number(12345678901234567890n),
      nan: "NaN",
      call: "[function work]",
      mark: "Symbol(s)",
      map: "[object Map]",
      error: "TypeError: bad",
      bytes: "[Uint8Array of 3 bytes]",
      point: { x: 1 },
      holes: [null, 1],
    });
    expect(redact(undefined)).toBeNull();
  });

  test("masks a part whose accessor or toJSON throws", () => {
    const broken = {
      get value(): never {
        throw new Error("no");
      },
    };
    const unwilling = {
      toJSON(): never {
        throw new Error("no");
      },
    };
    expect(redact({ broken, unwilling, fine: 1 })).toEqual({
      broken: redactionMarker,
      unwilling: redactionMarker,
      fine: 1,
    });
  });

  test("masks a member of event data whose accessor throws, and keeps the others", () => {
    const data = {
      queue: "bob@example.com",
      get result(): never {
        throw new Error("no");
      },
      password: 1,
    };
    const kept = { queue: "bob@example.com", result: redactionMarker, password: redactionMarker };
    expect(redactEvent(data)).toEqual(kept);
    expect(redactSnapshot({ queue_depths: { mail: 1 }, worker_details: { w: data } })).toEqual({
      queue_depths: { mail: 1 },
      worker_details: { w: redactionMarker },
    });
  });

  test("keeps the names of schedules, and redacts their inputs", () => {
    const email = "bob@example.com";
    const schedule = { name: email, external_id: email, task_name: email, queue: email, expression: "@daily" };
    const given = { ...schedule, args: [email], kwargs: { password: 1, note: email, queue: email } };
    const kept = {
      ...schedule,
      args: [redactionMarker],
      kwargs: { password: redactionMarker, note: redactionMarker, queue: redactionMarker },
    };
    const data = { scheduler: email, schedule: given, schedules: [given], name: email };
    expect(redactEvent(data, "schedule.snapshot")).toEqual({
      ...{ scheduler: email, schedule: kept, schedules: [kept], name: email },
    });
  });

  test("reads event data in its JSON form, or key by key where that is not an object", () => {
    const form = { toJSON: () => ({ queue: "bob@example.com", note: "bob@example.com" }) };
    expect(redactEvent(form)).toEqual({ queue: "bob@example.com", note: redactionMarker });
    class Text {
      readonly queue = "mail";
      toJSON(): string {
        return "text";
      }
    }
    expect(redactEvent({ ...new Text() })).toEqual({ queue: "mail" });
    expect(redactEvent(new Text() as unknown as Record<string, unknown>)).toEqual({ queue: "mail" });
    const unreadable = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
      },
    );
    expect(redactEvent(unreadable)).toEqual({});
  });

  test("replaces a cycle in event data by the marker", () => {
    const data: Record<string, unknown> = { queue: "mail" };
    data.self = data;
    expect(redactEvent(data)).toEqual({ queue: "mail", self: redactionMarker });
  });

  test("replaces U+0000 and lone surrogates in values and keys", () => {
    expect(redact({ "a\u0000": "b\u0000", c: "\ud800x", d: "😀" })).toEqual({
      "a\ufffd": "b\ufffd",
      c: "\ufffdx",
      d: "😀",
    });
  });

  test("stays correct for many more keys than its cache holds", () => {
    for (let index = 0; index < 10_000; index += 1) {
      expect(redact({ [`key${index}`]: "plain", password: index })).toEqual({
        [`key${index}`]: "plain",
        password: redactionMarker,
      });
    }
  });
});

describe("cutting", () => {
  const short = createRedactor({ maxStringBytes: 10 });

  test.each([
    ["0123456789", "0123456789"],
    ["0123456789a", "0123456789[...1 more bytes truncated]"],
    ["01234567é9", "01234567é[...1 more bytes truncated]"],
    ["012345678é", "012345678[...2 more bytes truncated]"],
    ["01234567😀", "01234567[...4 more bytes truncated]"],
    ["0123456789[...5 more bytes truncated]", "0123456789[...5 more bytes truncated]"],
    ["01234567890[...5 more bytes truncated]", "0123456789[...28 more bytes truncated]"],
  ])("%s becomes %s", (text, expected) => {
    expect(short.redact(text)).toBe(expected);
    expect(short.redact(expected)).toBe(expected);
  });

  test("happens at 8192 bytes by default, before the scan", () => {
    expect(redact("é".repeat(4_096))).toBe("é".repeat(4_096));
    expect(redact(`${"é".repeat(4_096)}é`)).toBe(`${"é".repeat(4_096)}[...2 more bytes truncated]`);
    expect(redact(`${"a".repeat(8_192)} bob@example.com`)).toBe(`${"a".repeat(8_192)}[...16 more bytes truncated]`);
    expect(redact(`bob@example.com ${"a".repeat(9_000)}`)).toBe(redactionMarker);
  });

  test("does not touch the marker, however small the limit", () => {
    expect(short.redact({ password: "x" })).toEqual({ password: redactionMarker });
    expect(createRedactor({ maxStringBytes: 3 }).redact(redactionMarker)).toBe(redactionMarker);
  });
});

describe("redaction", () => {
  const pieces = fc.constantFrom(
    ...[
      "password",
      "x-api-key",
      "bob@example.com",
      "redis://u:p@h",
      "[REDACTED]",
      "[...3 more bytes truncated]",
      "4111 1111 1111 1111",
      "DE89370400440532013000",
      "tokens",
      "\u0000",
    ],
    ...["eyJa.b.c", "123-45-6789", "é", "😀", "\ud800", "abcdefgh", "internal-7", "k".repeat(70), "k".repeat(260)],
  );
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.array(pieces, { maxLength: 4 }).map((parts) => parts.join("")),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      text,
      fc.oneof(fc.double(), fc.boolean(), fc.constantFrom(null, 4_111_111_111_111_111)),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(text, tie("value"), { maxKeys: 4 }),
    ),
  }));

  test.each([
    ["with defaults", {}],
    ["with a small limit", { maxStringBytes: 12 }],
    ["without defaults", { defaultsEnabled: false, maxStringBytes: 40 }],
    [
      "with extra patterns",
      {
        maxStringBytes: 60,
        extraKeyPatterns: ["\\[redacted\\]", "internal.*"],
        extraValuePatterns: ["truncated", "[0-9]{2}"],
      },
    ],
  ])("is idempotent, %s", (_, options) => {
    const redactor = createRedactor(options);
    fc.assert(
      fc.property(value, (input) => {
        const once = redactor.redact(input);
        expect(redactor.redact(once)).toEqual(once);
        expect(redactor.redact(JSON.parse(JSON.stringify(once)))).toEqual(JSON.parse(JSON.stringify(once)));
        const event = redactor.redactEvent({
          queue: input,
          task_name: "4111111111111111",
          depths: { [JSON.stringify(input)]: input },
          input,
        });
        expect(redactor.redactEvent(event)).toEqual(event);
        const worker = redactor.redactWorker({ active: [input, { id: input }], registered: input, stats: input });
        expect(redactor.redactWorker(worker)).toEqual(worker);
      }),
      { numRuns: 300 },
    );
  });
});
