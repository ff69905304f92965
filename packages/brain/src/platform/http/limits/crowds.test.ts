import fc from "fast-check";
import { expect, test } from "vitest";
import { networksOf } from "../connections/addresses.ts";
import { createCrowds, type Member } from "./crowds.ts";

interface Named extends Member {
  readonly name: string;
}
const member = (address: string, name = address): Named => ({ name, networks: networksOf(address) });
const names = (members: readonly Named[]) => members.map(({ name }) => name);

test("the surplus is a tenth of the largest allocation, from its largest site and block, the longest unused first", () => {
  const crowds = createCrowds<Named>();
  for (let index = 0; index < 15; index += 1) crowds.add(member(`10.2.${index}.1`));
  const quiet = member("10.1.1.1", "quiet");
  const connections = Array.from({ length: 18 }, (_, index) => member("10.1.2.2", `c${index}`));
  for (const each of [quiet, member("10.1.2.3", "neighbour"), ...connections]) crowds.add(each);
  expect(crowds.largest()).toBe(20);
  expect(names(crowds.surplus())).toEqual(["c0", "c1"]);
  crowds.add(connections[0] as Named);
  expect(names(crowds.surplus())).toEqual(["c1", "c2"]);
});

test("the oldest of the largest allocation is the one that was not used for longest", () => {
  const crowds = createCrowds<Named>();
  const [first, second, third] = ["10.2.0.1", "10.2.1.1", "10.2.2.1"].map((address) => member(address));
  for (const each of [member("10.1.1.1"), first!, second!, third!]) crowds.add(each);
  expect(crowds.oldestOfLargest()).toBe(first);
  crowds.add(first!);
  expect(crowds.oldestOfLargest()).toBe(second);
  crowds.remove(second!);
  expect(crowds.oldestOfLargest()).toBe(third);
});

test("without members there is no surplus", () => {
  const crowds = createCrowds<Named>();
  expect(crowds.surplus()).toEqual([]);
  const only = member("10.1.1.1");
  crowds.add(only);
  expect(crowds.surplus()).toEqual([only]);
  crowds.remove(only);
  crowds.remove(only);
  expect(crowds.surplus()).toEqual([]);
  expect(crowds.largest()).toBe(0);
});

test("after any adding and removing, the surplus is of the allocation with the most members", () => {
  const pool = Array.from({ length: 40 }, (_, index) => member(`10.${index % 4}.${index % 3}.${index}`));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(39), fc.boolean()), { maxLength: 200 }), (steps) => {
      const crowds = createCrowds<Named>();
      const present = new Set<Named>();
      for (const [index, isAdded] of steps) {
        const each = pool[index] as Named;
        if (isAdded) {
          crowds.add(each);
          present.add(each);
        } else {
          crowds.remove(each);
          present.delete(each);
        }
        const sizes = new Map<string, number>();
        for (const { networks } of present) sizes.set(networks.allocation, (sizes.get(networks.allocation) ?? 0) + 1);
        const most = Math.max(0, ...sizes.values());
        expect(crowds.largest()).toBe(most);
        expect(crowds.sizeOf(each.networks)).toBe(sizes.get(each.networks.allocation) ?? 0);
        const oldest = crowds.oldestOfLargest();
        expect(oldest === undefined ? 0 : sizes.get(oldest.networks.allocation)).toBe(most);
        const surplus = crowds.surplus();
        expect(surplus.length).toBe(present.size === 0 ? 0 : Math.max(1, Math.floor(most / 10)));
        for (const one of surplus) {
          expect(present.has(one)).toBe(true);
          expect(sizes.get(one.networks.allocation)).toBe(most);
        }
      }
    }),
  );
});
