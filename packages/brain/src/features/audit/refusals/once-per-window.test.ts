import { createFakeClock } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { createOncePerWindow, type Occurrence, type OncePerWindow } from "./once-per-window.ts";

const scope = "agent.auth.bearer_failed";

describe("the record of refusals", () => {
  test("admits a key once per ten minutes", () => {
    const clock = createFakeClock();
    const once = createOncePerWindow(clock);
    const judge = (address: string) => once.judge({ scope, address });
    expect([judge("10.0.0.1"), judge("10.0.0.1"), judge("10.0.0.2")]).toEqual(["first", "repeated", "first"]);
    clock.advance(599_999);
    expect(judge("10.0.0.1")).toBe("repeated");
    clock.advance(1);
    expect([judge("10.0.0.1"), judge("10.0.0.2")]).toEqual(["first", "first"]);
  });

  test("distinguishes scopes, with and without an address", () => {
    const once = createOncePerWindow(createFakeClock());
    const keys = [
      { scope, address: "10.0.0.1" },
      { scope: "other", address: "10.0.0.1" },
      { scope },
      { scope: "other" },
    ];
    expect(keys.map((key) => once.judge(key))).toEqual(["first", "first", "first", "first"]);
    expect(keys.map((key) => once.judge(key))).toEqual(["repeated", "repeated", "repeated", "repeated"]);
  });

  test("treats all addresses of one /64 as one", () => {
    const once = createOncePerWindow(createFakeClock());
    const judged = Array.from({ length: 500 }, (_, n) =>
      once.judge({ scope, address: `2001:db8:1:2::${n.toString(16)}` }),
    );
    expect(judged.filter((each) => each === "first")).toHaveLength(1);
    expect(judged.filter((each) => each === "repeated")).toHaveLength(499);
  });

  test("admits ten blocks of one /48 and reports the others as excess, until the window is over", () => {
    const clock = createFakeClock();
    const once = createOncePerWindow(clock);
    const flood = (site: string) =>
      Array.from({ length: 30 }, (_, n) => once.judge({ scope, address: `2001:db8:${site}:${n.toString(16)}::1` }));
    for (const site of ["1", "2"])
      expect(flood(site)).toEqual([...Array(10).fill("first"), ...Array(20).fill("excess")]);
    clock.advance(600_000);
    expect(flood("1").slice(0, 11)).toEqual([...Array(10).fill("first"), "excess"]);
  });

  test("reports further keys as excess when full of keys from as many networks, until the oldest expires", () => {
    const clock = createFakeClock();
    const once = createOncePerWindow(clock);
    for (let index = 0; index < 10_000; index += 1) expect(once.judge({ scope: `key-${index}` })).toBe("first");
    expect(once.judge({ scope: "late" })).toBe("excess");
    expect(once.judge({ scope: "key-0" })).toBe("repeated");
    clock.advance(600_000);
    expect(once.judge({ scope: "late" })).toBe("first");
  });

  /** Refusals from the given number of blocks of one /32, ten in each /48. */
  function flood(once: OncePerWindow, allocation: string, blocks: number): Occurrence[] {
    return Array.from({ length: blocks }, (_, n) => {
      const [site, block] = [Math.floor(n / 10), n % 10].map((part) => (part + 1).toString(16));
      return once.judge({ scope, address: `${allocation}:${site}:${block}::1` });
    });
  }
  const firsts = (judged: readonly Occurrence[]) => judged.filter((each) => each === "first").length;

  test("still admits all other networks when one /32 has filled it, and no more of that one", () => {
    const once = createOncePerWindow(createFakeClock());
    expect(firsts(flood(once, "2001:db8", 10_000))).toBe(10_000);
    for (let n = 0; n < 200; n += 1) {
      expect(once.judge({ scope, address: `10.${n}.0.1` })).toBe("first");
      expect(once.judge({ scope, address: `2001:db8:ffff:${n.toString(16)}::1` })).toBe("excess");
    }
    expect(once.judge({ scope: "agent of an archived project" })).toBe("first");
    for (let n = 0; n < 200; n += 1) expect(once.judge({ scope, address: `10.${n}.0.1` })).toBe("repeated");
    // Every dropped key already had its row; the oldest keys were dropped.
    const again = flood(once, "2001:db8", 10_000);
    expect(firsts(again)).toBe(0);
    expect(again.filter((each) => each === "excess")).toHaveLength(201);
    expect(again.slice(0, 201)).toEqual(Array(201).fill("excess"));
  });

  test("counts keys without an address by their source", () => {
    const once = createOncePerWindow(createFakeClock());
    const late = (n: number, source: string) => once.judge({ scope: `command ${n}`, source });
    for (let n = 0; n < 10_000; n += 1) expect(late(n, "agent 1")).toBe("first");
    expect(late(10_000, "agent 1")).toBe("excess");
    expect(late(10_001, "agent 2")).toBe("first");
    expect(once.judge({ scope, address: "10.0.0.1" })).toBe("first");
  });

  test("does not let two networks keep displacing each other", () => {
    const once = createOncePerWindow(createFakeClock());
    const rows = () => firsts([...flood(once, "2001:db8", 10_000), ...flood(once, "2001:db9", 10_000)]);
    expect(rows()).toBe(10_000 + 5000);
    for (let round = 0; round < 3; round += 1) expect(rows()).toBe(0);
  });

  test("admits at most 30,000 keys in ten minutes from any number of networks", () => {
    const clock = createFakeClock();
    const once = createOncePerWindow(clock);
    let rows = 0;
    for (let n = 0; n < 15; n += 1) rows += firsts(flood(once, `2001:${(n + 0xd00).toString(16)}`, 10_000));
    expect(rows).toBe(30_000);
    clock.advance(599_999);
    expect(once.judge({ scope, address: "10.0.0.1" })).toBe("excess");
    clock.advance(1);
    expect(once.judge({ scope, address: "10.0.0.1" })).toBe("first");
  });
});
