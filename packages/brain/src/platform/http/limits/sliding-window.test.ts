import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { networksOf } from "../connections/addresses.ts";
import { fakeClock, fixtureRules } from "../http-fixture.ts";
import { createBuckets } from "./buckets.ts";
import { createWindow } from "./sliding-window.ts";

const hex = (value: number) => value.toString(16);
/** An address in the `site`-th /48 of 2001:db8::/32, in its `block`-th /64. */
const inDb8 = (site: number, block: number, host = 1) => `2001:db8:${hex(site)}:${hex(block)}::${hex(host)}`;

describe("IPv6 sources", () => {
  test("of one /64 share one limit, whatever the last 64 bits are", () => {
    const buckets = createBuckets(fakeClock(), fixtureRules.buckets);
    const answers = Array.from({ length: 60 }, (_, host) => buckets.take("login", inDb8(1, 1, host + 1)));
    expect(answers.filter((wait) => wait === null)).toHaveLength(20);
    expect(buckets.take("login", inDb8(1, 2))).toBeNull();
  });

  test("of one /48 have ten times the limit of a /64", () => {
    const buckets = createBuckets(fakeClock(), fixtureRules.buckets);
    const answers = Array.from({ length: 1000 }, (_, block) => buckets.take("login", inDb8(1, block)));
    expect(answers.filter((wait) => wait === null)).toHaveLength(200);
    expect(buckets.take("login", inDb8(2, 1))).toBeNull();
  });

  test("count in neither window when one of them refuses", () => {
    const clock = fakeClock();
    const buckets = createBuckets(clock, { bulk: { cap: 2, windowMs: 60_000 } });
    for (let knock = 0; knock < 100; knock += 1) buckets.take("bulk", inDb8(1, 1));
    // The 98 refused requests used none of the 20 that the /48 may send.
    for (let block = 2; block < 20; block += 1) expect(buckets.take("bulk", inDb8(1, block))).toBeNull();
    expect(buckets.take("bulk", inDb8(1, 30))).toBe(60);
    clock.advance(60_000);
    // The request refused for the /48 did not count for its /64.
    for (let count = 0; count < 2; count += 1) expect(buckets.take("bulk", inDb8(1, 30))).toBeNull();
    expect(buckets.take("bulk", inDb8(1, 30))).toBe(60);
  });

  test("wait for the later of both windows, and never longer than a window", () => {
    const clock = fakeClock();
    const buckets = createBuckets(clock, { bulk: { cap: 1, windowMs: 60_000 } });
    buckets.take("bulk", inDb8(1, 0));
    clock.advance(20_000);
    for (let block = 1; block < 10; block += 1) buckets.take("bulk", inDb8(1, block));
    expect(buckets.take("bulk", inDb8(1, 0))).toBe(40);
    expect(buckets.take("bulk", inDb8(1, 1))).toBe(60);
  });

  test.each([
    ["IPv4-mapped", "::ffff:192.0.2.9", "0:0:0:0:0:ffff:c000:209"],
    ["IPv4-translated", "::ffff:0:192.0.2.9", "::ffff:0:c000:209"],
    ["NAT64", "64:ff9b::192.0.2.9", "64:ff9b::c000:209"],
    ["6to4", "2002:c000:209:1::1", "2002:c000:209:ffff::2"],
    ["Teredo", "2001:0:1111:2222:0:1111:3fff:fdf6", "2001:0:3333:4444:8000:2222:3fff:fdf6"],
  ])("that carry an IPv4 address (%s) count as that address", (_, one, other) => {
    const buckets = createBuckets(fakeClock(), { bulk: { cap: 3, windowMs: 60_000 } });
    expect(buckets.take("bulk", "192.0.2.9")).toBeNull();
    expect(buckets.take("bulk", one)).toBeNull();
    expect(buckets.take("bulk", other)).toBeNull();
    expect(buckets.take("bulk", "192.0.2.9")).toBe(60);
    expect(buckets.take("bulk", "192.0.2.10")).toBeNull();
  });
});

describe("a full table", () => {
  const legitimate = ["192.0.2.1", "2001:db9:1:1::1"];

  test.each([
    ["one /48", (index: number) => inDb8(1, index)],
    ["one /32", (index: number) => inDb8(index, 1)],
    ["one /16 of IPv4", (index: number) => `10.1.${index >> 8}.${index & 255}`],
  ])("of the keys of %s locks no others out", (_, source) => {
    const buckets = createBuckets(fakeClock(), { login: { cap: 2000, windowMs: 60_000 } });
    const early = "198.51.100.1";
    for (let count = 0; count < 1999; count += 1) buckets.take("login", early);
    for (let index = 0; index < 20_000; index += 1) buckets.take("login", source(index));
    for (const address of legitimate) expect(buckets.take("login", address)).toBeNull();
    // Sources counted before the flood are still counted: only the crowded network lost keys.
    expect(buckets.take("login", early)).toBeNull();
    expect(buckets.take("login", early)).toBe(60);
  });

  test("drops the keys of the largest network first, and within it those of its largest part", () => {
    const window = createWindow({ cap: 1, windowMs: 1000, maxKeys: 12 });
    const admit = (key: string) => {
      expect(window.wait(key, 0)).toBeNull();
      window.admit(key, networksOf(key), 0);
    };
    const kept = ["10.2.0.1", "10.2.0.2", "10.1.9.1", "10.1.8.1"];
    const crowd = Array.from({ length: 8 }, (_, index) => `10.1.7.${index}`);
    for (const key of [...kept, ...crowd]) admit(key);
    for (let round = 0; round < 4; round += 1) admit(`10.3.${round}.1`);
    for (const key of kept) expect(window.wait(key, 0)).toBe(1);
    for (const [index, key] of crowd.entries()) expect(window.wait(key, 0)).toBe(index < 4 ? null : 1);
  });
});

test("requests older than the window are dropped, so that memory follows what counts", () => {
  const window = createWindow({ cap: 1000, windowMs: 1000, maxKeys: 12 });
  const networks = networksOf("10.0.0.1");
  let most = 0;
  for (let now = 0; now < 50_000; now += 100) {
    window.admit("10.0.0.1", networks, now);
    most = Math.max(most, window.instants());
  }
  expect(most).toBeLessThanOrEqual(20);
  for (let count = window.instants(); count < 1000; count += 1) window.admit("10.0.0.1", networks, 50_000);
  expect(window.instants()).toBe(1000);
  window.admit("10.0.0.1", networks, 60_000);
  expect(window.instants()).toBe(1);
  expect(window.wait("10.0.0.1", 61_000)).toBeNull();
  expect(window.instants()).toBe(0);
});

describe("over random addresses", () => {
  const source = fc.oneof(
    fc.tuple(fc.nat(1), fc.nat(11), fc.nat(9)).map(([site, block, host]) => inDb8(site, block, host)),
    fc.tuple(fc.nat(0xffff), fc.nat(0xffff)).map(([site, block]) => `2a00:1:${hex(site)}:${hex(block)}::7`),
    fc.tuple(fc.nat(3), fc.nat(3), fc.nat(255)).map(([a, b, c]) => `10.${a}.${b}.${c}`),
  );
  const steps = fc.array(fc.tuple(source, fc.nat(400)), { minLength: 1, maxLength: 300, size: "max" });
  const windowMs = 60_000;

  /** What a simple reference, a list of all admitted requests, allows. */
  const within = (admitted: { at: number; network: string }[], network: string, now: number) =>
    admitted.filter((one) => one.network === network && one.at + windowMs > now).length;

  test("no /64 and no /48 exceeds its limit, and no source below both limits is refused", () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const clock = fakeClock();
        const buckets = createBuckets(clock, { bulk: { cap: 2, windowMs: 60_000 } });
        const blocks: { at: number; network: string }[] = [];
        const sites: typeof blocks = [];
        for (const [address, pauseMs] of taken) {
          clock.advance(pauseMs);
          const now = clock.monotonicMs();
          const { block, site, isIpv6 } = networksOf(address);
          const hasRoom = within(blocks, block, now) < 2 && (!isIpv6 || within(sites, site, now) < 20);
          const wait = buckets.take("bulk", address);
          expect(wait === null).toBe(hasRoom);
          if (wait !== null) expect(wait > 0 && wait <= windowMs / 1000).toBe(true);
          else {
            blocks.push({ at: now, network: block });
            if (isIpv6) sites.push({ at: now, network: site });
          }
        }
      }),
    );
  });

  test("a table never grows past its keys, and refuses a new one only when every network has one", () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const window = createWindow({ cap: 2, windowMs, maxKeys: 20 });
        let now = 0;
        for (const [address, pauseMs] of taken) {
          now += pauseMs;
          const networks = networksOf(address);
          if (window.wait(networks.block, now) !== null) continue;
          window.admit(networks.block, networks, now);
          expect(window.size()).toBeLessThanOrEqual(20);
        }
        // The addresses come from at most five allocations, so there is always a crowd to drop from.
        expect(window.wait("203.0.113.1", now)).toBeNull();
      }),
    );
  });
});
