import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addressBlock,
  inRanges,
  normalizeAddress,
  parseRange,
  parseRanges,
  resolveClientAddress,
  sourceOf,
} from "./addresses.ts";

const ranges = (...texts: string[]) => parseRanges(texts).ranges;

test.each([
  [{ user_id: "u1", source_ip: "192.0.2.1" }, "user:u1"],
  [{ user_id: null, source_ip: "192.0.2.1" }, "192.0.2.1"],
  [{ user_id: null, source_ip: "2001:db8:1:2::3" }, "2001:db8:1::/48"],
  [{ user_id: null, source_ip: null }, ""],
])("the work of %j takes the turn of %j", (origin, source) => {
  expect(sourceOf(origin)).toBe(source);
});

describe("a normalised address", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["192.0.2.1:8080", "192.0.2.1"],
    ["[2001:DB8::1]:443", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["2001:0db8:0:0:0:0:0:1", "2001:db8::1"],
    ["fe80::1%eth0", "fe80::1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["[::ffff:c000:201]:80", "192.0.2.1"],
    ["::1", "::1"],
  ])("of %s is %s", (text, address) => expect(normalizeAddress(text)).toBe(address));

  test.each([
    "",
    "localhost",
    "127.1",
    "0x7f000001",
    "2130706433",
    "010.0.0.1",
    "256.1.1.1",
    "1.2.3",
    "1.2.3.4:x",
    "[::1",
    "::1]:80",
    "[::1]x",
    "unknown",
    "_hidden",
    "1.2.3.4, 5.6.7.8",
    `${":".repeat(200)}`,
  ])("does not exist for %s", (text) => expect(normalizeAddress(text)).toBeNull());
});

describe("a range", () => {
  test.each([
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["192.0.2.1", "192.0.2.1/32"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["::/0", "::/0"],
    ["2001:DB8:1::FFFF/33", "2001:db8::/33"],
    ["::1", "::1/128"],
    [" 10.0.0.0/9 ", "10.0.0.0/9"],
    ["::ffff:10.1.2.3/104", "10.0.0.0/8"],
  ])("of %s is %s", (text, canonical) => expect(parseRange(text)?.text).toBe(canonical));

  test.each([
    "10.0.0.0/33",
    "::/129",
    "10.0.0.0/08",
    "10.0.0.0/-1",
    "10.0.0.0/",
    "10.0.0/8",
    "x/8",
    "",
    "10.0.0.0/8/8",
  ])("does not exist for %s", (text) => expect(parseRange(text)).toBeNull());

  test("its canonical text parses to itself", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.ipV4Extended().map(String), fc.ipV6(), fc.ipV4()),
        fc.integer({ min: 0, max: 128 }),
        (address, bits) => {
          const range = parseRange(`${address}/${bits}`);
          if (range !== null) expect(parseRange(range.text)).toEqual(range);
        },
      ),
    );
  });

  test("an IPv4 range and a plain computation agree on every address", () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const address = fc.tuple(octet, octet, octet, octet);
    const number = (parts: number[]) => parts.reduce((sum, part) => sum * 256 + part, 0);
    fc.assert(
      fc.property(address, address, fc.integer({ min: 0, max: 32 }), (base, probe, bits) => {
        const size = 2 ** (32 - bits);
        const expected = Math.floor(number(base) / size) === Math.floor(number(probe) / size);
        expect(inRanges(probe.join("."), ranges(`${base.join(".")}/${bits}`))).toBe(expected);
      }),
    );
  });

  test("of one family holds no address of the other, and mapped addresses are IPv4", () => {
    expect(inRanges("192.0.2.1", ranges("::/0"))).toBe(false);
    expect(inRanges("::1", ranges("0.0.0.0/0"))).toBe(false);
    expect(inRanges("::ffff:192.0.2.1", ranges("192.0.2.0/24"))).toBe(true);
    expect(inRanges("unknown", ranges("0.0.0.0/0", "::/0"))).toBe(false);
    expect(inRanges("192.0.2.1", [])).toBe(false);
  });

  test("faults are named by their place", () => {
    expect(parseRanges(["10.0.0.0/8", "x", "::1", "1.2.3.4/40"]).faults).toEqual([1, 3]);
  });
});

describe("the client address", () => {
  const trusted = ranges("10.0.0.0/8", "fd00::/8");
  test.each([
    ["no header", "10.0.0.1", undefined, "10.0.0.1"],
    ["a peer outside the list", "192.0.2.9", "198.51.100.1", "192.0.2.9"],
    ["one hop", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["a forged left entry", "10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"],
    ["trusted entries are skipped", "10.0.0.1", "198.51.100.1, 10.0.0.2,10.0.0.3", "198.51.100.1"],
    ["all entries trusted: the leftmost", "10.0.0.1", "10.9.9.9, 10.0.0.2", "10.9.9.9"],
    ["a broken entry ends the walk", "10.0.0.1", "198.51.100.1, nonsense, 10.0.0.2", "10.0.0.2"],
    ["a broken last entry leaves the peer", "10.0.0.1", "198.51.100.1, nonsense", "10.0.0.1"],
    ["an empty header", "10.0.0.1", "", "10.0.0.1"],
    ["ports, brackets and mapped peers", "::ffff:10.0.0.1", "[2001:DB8::7]:4711", "2001:db8::7"],
    ["an IPv6 proxy", "fd00::1", "198.51.100.1:80", "198.51.100.1"],
    ["no peer", undefined, "198.51.100.1", "unknown"],
  ])("%s", (_case, peer, header, client) => expect(resolveClientAddress(peer, header, trusted)).toBe(client));

  test("at most 32 entries are read", () => {
    const header = (trustedEntries: number) => `198.51.100.1, ${Array(trustedEntries).fill("10.0.0.2").join(", ")}`;
    expect(resolveClientAddress("10.0.0.1", header(31), trusted)).toBe("198.51.100.1");
    expect(resolveClientAddress("10.0.0.1", header(32), trusted)).toBe("10.0.0.2");
  });

  test("without trusted proxies the header never counts", () => {
    expect(resolveClientAddress("10.0.0.1", "198.51.100.1", [])).toBe("10.0.0.1");
  });
});

describe("the block that an address counts in", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::", "2001:db8:1:2::/64"],
    ["2001:db8:1::9", "2001:db8:1::/64"],
    ["2001:db8::1:0:0:1", "2001:db8::/64"],
    ["0:0:0:1::5", "0:0:0:1::/64"],
    ["::1", "::/64"],
    ["fe80::1%eth0", "fe80::/64"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2002:c000:201::5", "192.0.2.1"],
    ["64:ff9b::c000:201", "192.0.2.1"],
    ["64:ff9b:1::c000:201", "64:ff9b:1::/64"],
    ["2001:0:1:2:3:4:3fff:fdfe", "192.0.2.1"],
    ["unknown", "unknown"],
    ["", ""],
  ])("of %s is %s", (address, block) => {
    expect(addressBlock(address)).toBe(block);
  });
});
