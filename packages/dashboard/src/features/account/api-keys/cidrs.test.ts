import { describe, expect, test } from "vitest";
import { isAllowed, readRange, readRanges } from "./cidrs.ts";

describe("a range", () => {
  test.each([
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["192.168.7.9", "192.168.7.9/32"],
    [" 0.0.0.0/0 ", "0.0.0.0/0"],
    ["2001:0DB8:0:0:0:0:0:7", "2001:db8::7/128"],
    ["2001:db8:ffff::/33", "2001:db8:8000::/33"],
    ["::/0", "::/0"],
    ["fe80:1:0:0:2:0:0:3/128", "fe80:1::2:0:0:3/128"],
    ["::ffff:10.20.30.40/104", "10.0.0.0/8"],
    ["::ffff:10.20.30.40", "10.20.30.40/32"],
  ])("%s is stored as %s", (given, canonical) => {
    expect(readRange(given)?.text).toBe(canonical);
  });

  test.each([
    "",
    "10.0.0",
    "10.0.0.256",
    "010.0.0.1",
    "10.0.0.0/33",
    "10.0.0.0/08",
    "10.0.0.0/8/8",
    "1::2::3",
    "::1/129",
    "0x7f000001",
    "mail.example.org",
  ])("%o is invalid", (given) => {
    expect(readRange(given)).toBeNull();
  });
});

describe("an address is allowed", () => {
  const { ranges } = readRanges("10.20.0.0/15\n2001:db8::/33");

  test.each([
    ["10.21.255.255", true],
    ["10.22.0.0", false],
    ["::ffff:10.20.0.1", true],
    ["2001:db8:7fff::1", true],
    ["2001:db8:8000::1", false],
    ["127.0.0.1", false],
    ["unknown", false],
  ])("from %s: %s", (address, isIn) => {
    expect(isAllowed(address, ranges)).toBe(isIn);
  });

  test("from anywhere without a range, and an IPv6 range never contains an IPv4 address", () => {
    expect(isAllowed("127.0.0.1", [])).toBe(true);
    expect(isAllowed("127.0.0.1", readRanges("::/0").ranges)).toBe(false);
  });
});

test("equal lines are one range, and invalid lines are reported by number", () => {
  const { ranges, badLines } = readRanges("10.1.0.0/8\n\n10.2.0.0/8\nmail\n::1\n300.1.1.1/8");
  expect(ranges.map(({ text }) => text)).toEqual(["10.0.0.0/8", "::1/128"]);
  expect(badLines).toEqual([4, 6]);
});
