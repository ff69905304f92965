import type { AddressNetworks } from "../connections/addresses.ts";

export interface Member {
  readonly networks: AddressNetworks;
}

/** Choosing takes time proportional to the allocation, so a share of it is dropped at once. */
const shareDropped = 10;

/**
 * Members by the network they come from, each network in order of its members' last use. Adding and removing take constant time, so a flood
 * costs no more per member than quiet use.
 */
export function createCrowds<M extends Member>() {
  const allocations = new Map<string, Set<M>>();
  const bySize = new Map<number, Set<Set<M>>>();
  let largest = 0;

  function resized(allocation: Set<M>, sizeBefore: number): void {
    const before = bySize.get(sizeBefore);
    before?.delete(allocation);
    if (before?.size === 0) bySize.delete(sizeBefore);
    if (allocation.size > 0) {
      const same = bySize.get(allocation.size);
      if (same === undefined) bySize.set(allocation.size, new Set([allocation]));
      else same.add(allocation);
    }
    if (allocation.size > largest) largest = allocation.size;
    else if (sizeBefore === largest && !bySize.has(largest)) largest = allocation.size;
  }

  return {
    /** Adds a member as the last of its network; one that is in it already moves to the end. */
    add(member: M) {
      let allocation = allocations.get(member.networks.allocation);
      if (allocation === undefined) {
        allocation = new Set();
        allocations.set(member.networks.allocation, allocation);
      }
      const sizeBefore = allocation.size;
      allocation.delete(member);
      allocation.add(member);
      if (allocation.size !== sizeBefore) resized(allocation, sizeBefore);
    },
    /** Removes a member if it is in. */
    remove(member: M) {
      const allocation = allocations.get(member.networks.allocation);
      if (allocation === undefined || !allocation.delete(member)) return;
      resized(allocation, allocation.size + 1);
      if (allocation.size === 0) allocations.delete(member.networks.allocation);
    },
    /** Members of the largest allocation; 0 when there is none. */
    largest: () => largest,
    /** Members of the allocation of these networks. */
    sizeOf: ({ allocation }: AddressNetworks) => allocations.get(allocation)?.size ?? 0,
    /** The longest unused member of a largest allocation. */
    oldestOfLargest(): M | undefined {
      const [crowd] = bySize.get(largest) ?? [];
      const [oldest] = crowd ?? [];
      return oldest;
    },
    /**
     * Members to drop when there is no room: a tenth of the largest allocation, from its largest sites and their largest blocks, the
     * longest unused ones first. Never empty while there is any member; nothing is removed.
     */
    surplus(): M[] {
      const [crowd] = bySize.get(largest) ?? [];
      if (crowd === undefined) return [];
      return trim([...crowd], Math.max(1, Math.floor(crowd.size / shareDropped)), ["site", "block"]);
    },
  };
}

/** Takes `count` members: the largest networks of the first level are reduced to a common size, then the same inside each of them. */
function trim<M extends Member>(members: M[], count: number, levels: readonly ("site" | "block")[]): M[] {
  const [level, ...narrower] = levels;
  if (level === undefined || count >= members.length) return members.slice(0, count);
  const byNetwork = Map.groupBy(members, ({ networks }) => networks[level]);
  if (byNetwork.size === members.length) return members.slice(0, count);
  const networks = [...byNetwork.values()];
  networks.sort((a, b) => b.length - a.length);
  const height = heightAfter(
    networks.map(({ length }) => length),
    count,
  );
  const dropped: M[] = [];
  for (const network of networks) {
    const left = count - dropped.length;
    if (left === 0 || network.length <= height) break;
    dropped.push(...trim(network, Math.min(left, network.length - height), narrower));
  }
  return dropped;
}

/** The greatest size to which all `sizes`, in descending order, can be cut so that at least `count` members are removed. */
function heightAfter(sizes: readonly number[], count: number): number {
  let sum = 0;
  for (const [index, size] of sizes.entries()) {
    sum += size;
    const height = Math.floor((sum - count) / (index + 1));
    if (height >= (sizes[index + 1] ?? 0)) return height;
  }
  return 0;
}
