import { createFakeClock } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { createOncePerWindow } from "./refusals.ts";

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

  test("tells scopes apart, with and without an address", () => {
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

  test("takes all addresses of one /64 for one", () => {
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

  test("remembers 10,000 keys and reports further ones as excess until the oldest is past its time", () => {
    const clock = createFakeClock();
    const once = createOncePerWindow(clock);
    for (let index = 0; index < 10_000; index += 1) expect(once.judge({ scope: `key-${index}` })).toBe("first");
    expect(once.judge({ scope: "late" })).toBe("excess");
    expect(once.judge({ scope: "key-0" })).toBe("repeated");
    clock.advance(600_000);
    expect(once.judge({ scope: "late" })).toBe("first");
  });
});
