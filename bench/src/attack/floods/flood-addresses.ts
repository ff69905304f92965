import { randomBytes } from "node:crypto";

/** One address, every /64 of one /48, or 10,000 addresses. */
export type FloodSource = "one" | "48" | "spread";

export interface FloodAddress {
  readonly address: string;
  /** The unit of a source: the address itself, or the /64 of an IPv6 address. */
  readonly block: string;
}

/** Odd, so that all 65,536 subnets are used once before one repeats. */
const subnetStep = 40_503;

/** Returns the addresses of successive requests; the number distinguishes them from those of other floods. */
export function createAddresses(source: FloodSource, number: number): () => FloodAddress {
  if (source === "one") return () => ({ address: `198.51.100.${number}`, block: "one" });
  if (source === "spread") {
    return () => {
      const drawn = Math.floor(Math.random() * 10_000);
      const address = `100.${64 + (number % 64)}.${drawn >> 8}.${drawn & 255}`;
      return { address, block: address };
    };
  }
  let subnet = randomBytes(2).readUInt16BE();
  return () => {
    subnet = (subnet + subnetStep) & 0xffff;
    const block = `2001:db8:${(0x7700 + number).toString(16)}:${subnet.toString(16)}`;
    return { address: `${block}::${randomBytes(2).toString("hex")}`, block };
  };
}
