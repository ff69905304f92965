import { expect, test } from "vitest";
import { createAddresses } from "./flood-addresses.ts";

test("a flood from a /48 uses each of its /64s once before it repeats one", () => {
  const next = createAddresses("48", 3);
  const drawn = Array.from({ length: 65_536 }, () => next());
  expect(new Set(drawn.map(({ block }) => block)).size).toBe(65_536);
  for (const { address, block } of drawn.slice(0, 1000)) {
    expect(block).toMatch(/^2001:db8:7703:[0-9a-f]{1,4}$/);
    expect(address).toMatch(new RegExp(`^${block}::[0-9a-f]{4}$`));
  }
});

test("one address is one source, and each spread address is its own", () => {
  const one = createAddresses("one", 4);
  expect([one(), one()]).toEqual(Array(2).fill({ address: "198.51.100.4", block: "one" }));
  const { address, block } = createAddresses("spread", 4)();
  expect(address).toMatch(/^100\.68\.\d+\.\d+$/);
  expect(block).toBe(address);
});
