// Ranges of addresses as the server keeps them: host bits cleared, IPv6 compressed in lower case, a bare address as one host, and ranges of
// IPv4-mapped addresses as the IPv4 range. The server judges what is sent; this only shows beforehand what it will make of it.

export interface Range {
  /** Canonical text. */
  text: string;
  bytes: readonly number[];
  prefixBits: number;
}

export const maxRanges = 32;

const plainIpv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;
/** The first twelve bytes of an IPv4 address that is written as IPv6. */
const mappedBytes = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** The range that `text` names, by CIDR or by one address; null when it names none. */
export function readRange(text: string): Range | null {
  const [address = "", bitsText, ...others] = text.trim().split("/");
  if (others.length > 0 || (bitsText !== undefined && !/^(?:0|[1-9]\d{0,2})$/.test(bitsText))) return null;
  const written = bytesOf(address);
  if (written === null) return null;
  const bits = bitsText === undefined ? written.length * 8 : Number(bitsText);
  if (bits > written.length * 8) return null;
  const isMapped = bits >= 96 && isIpv4Mapped(written);
  const prefixBits = isMapped ? bits - 96 : bits;
  const bytes = (isMapped ? written.slice(12) : written).map(
    (byte, at) => byte & (0xff00 >> Math.min(8, Math.max(0, prefixBits - at * 8))),
  );
  return { text: `${textOf(bytes)}/${prefixBits}`, bytes, prefixBits };
}

/** Whether a key with these ranges would be let in from an address; every address is where there is no range. */
export function isLetIn(address: string, ranges: readonly Range[]): boolean {
  if (ranges.length === 0) return true;
  const host = readRange(address);
  return host !== null && ranges.some((range) => holds(range, host));
}

function holds({ bytes, prefixBits }: Range, host: Range): boolean {
  if (bytes.length !== host.bytes.length) return false;
  return bytes.every((byte, at) => {
    const mask = (0xff00 >> Math.min(8, Math.max(0, prefixBits - at * 8))) & 0xff;
    return ((host.bytes[at] ?? 0) & mask) === byte;
  });
}

/** What the lines of a text come to: ranges, each once, and the lines that name none, counted from 1. */
export function readRanges(text: string): { ranges: Range[]; faults: number[] } {
  const byText = new Map<string, Range>();
  const faults: number[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const range = readRange(line);
    if (range === null) faults.push(at + 1);
    else byText.set(range.text, range);
  }
  return { ranges: [...byText.values()], faults };
}

function bytesOf(address: string): number[] | null {
  if (plainIpv4.test(address)) return address.split(".").map(Number);
  const groups = ipv6Text(address)
    ?.split("::")
    .map((part) => part.split(":").filter(Boolean));
  if (groups === undefined) return null;
  const [head = [], tail = []] = groups;
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail].flatMap((group) => [
    Number.parseInt(group, 16) >> 8,
    Number.parseInt(group, 16) & 0xff,
  ]);
}

const isIpv4Mapped = (bytes: readonly number[]): boolean =>
  bytes.length === 16 && mappedBytes.every((byte, at) => bytes[at] === byte);

function textOf(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[at * 2] ?? 0) << 8) | (bytes[at * 2 + 1] ?? 0)).toString(16),
  );
  return ipv6Text(groups.join(":")) ?? "";
}

/** The browser's own reading and compressing of an IPv6 address; undefined when it is none. */
function ipv6Text(address: string): string | undefined {
  if (!/^[0-9a-f:.]+$/i.test(address) || !address.includes(":")) return undefined;
  const name = `http://[${address}]`;
  return URL.canParse(name) ? new URL(name).hostname.slice(1, -1) : undefined;
}
