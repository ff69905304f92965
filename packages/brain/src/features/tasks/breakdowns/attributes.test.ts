import { redactionMarker } from "@svc/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attributesOf } from "./attributes.ts";

type Given = Parameters<typeof attributesOf>[0];
const task = (given: Partial<Given> = {}): Given => ({
  worker_name: null,
  queue: null,
  priority: "normal",
  args: "[]",
  kwargs: "{}",
  ...given,
});
const always = ["priority=normal"];
const textsOf = (given: Partial<Given>) => attributesOf(task(given)).map(({ field, value }) => `${field}=${value}`);
const argumentsOf = (given: Partial<Given>) => textsOf(given).slice(always.length);

describe("attributes of a task", () => {
  test("are where it ran", () => {
    expect(textsOf({ worker_name: "w-1", queue: "mails", priority: "high" })).toEqual([
      "worker=w-1",
      "queue=mails",
      "priority=high",
    ]);
    expect(textsOf({})).toEqual(always);
  });

  test("are scalars of its arguments by path", () => {
    expect(
      argumentsOf({ args: '["a",[1,{"b":true}]]', kwargs: '{"user":{"region":"eu","id":null},"n":1.50}' }),
    ).toEqual([
      "args.0=a",
      "args.1.0=1",
      "args.1.1.b=true",
      "kwargs.user.region=eu",
      "kwargs.user.id=null",
      "kwargs.n=1.5",
    ]);
  });

  test("quote parts of a path and texts that could be taken for something else", () => {
    const kwargs = JSON.stringify({ "a.b": "1", "0": "true", 'q"': "x", plain: "12 Main Street" });
    expect(argumentsOf({ kwargs })).toEqual([
      'kwargs."0"="true"',
      'kwargs."a.b"="1"',
      'kwargs."q\\""=x',
      'kwargs.plain="12 Main Street"',
    ]);
  });

  test("keep every digit of a whole number", () => {
    expect(argumentsOf({ args: "[12345678901234567890]" })).toEqual(["args.0=12345678901234567890"]);
  });

  test("leave out what was redacted, is too long, lies too deep, or was too large to read", () => {
    const kwargs = JSON.stringify({
      token: redactionMarker,
      note: `key ${redactionMarker} inside`,
      long: "x".repeat(81),
      ["k".repeat(120)]: "x",
      a: { b: { c: { deep: 1, d: { deeper: 2 } } } },
      kept: "x".repeat(80),
    });
    expect(argumentsOf({ kwargs })).toEqual(["kwargs.a.b.c.deep=1", `kwargs.kept=${"x".repeat(80)}`]);
    expect(argumentsOf({ args: null, kwargs: null })).toEqual([]);
  });

  test("are few, one per field, and never contain a secret's mark, whatever the arguments are", () => {
    const text = fc.oneof(fc.string(), fc.constantFrom(redactionMarker, `x${redactionMarker}`, "eu", "a.b", '"'));
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 100 }),
        fc.dictionary(text, tie("value"), { maxKeys: 40 }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.array(value), fc.dictionary(text, value), (args, kwargs) => {
        const found = attributesOf(task({ args: JSON.stringify(args), kwargs: JSON.stringify(kwargs) }));
        expect(found.length).toBeLessThanOrEqual(60);
        expect(new Set(found.map(({ field }) => field)).size).toBe(found.length);
        for (const { field, value: shown } of found) {
          expect(field.length <= 120 && shown.length <= 80 && shown !== "").toBe(true);
          expect(`${field}${shown}`).not.toContain(redactionMarker);
        }
      }),
    );
  });
});
