// Address ranges in the server's canonical form: host bits cleared, IPv6 compressed in lower case, a bare address as a single host, and
// IPv4-mapped ranges as IPv4. The server decides; this is a preview.

export interface Range {
  /** Canonical text. */
  text: string;
  bytes: readonly number[];
  prefixBits: number;
}

export const maxRanges = 32;

const plainIpv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;
/** The first twelve bytes of an IPv4-mapped IPv6 address. */
const mappedBytes = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** Parses a CIDR range or a single address; null when it is neither. */
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

/** Whether a key with these ranges may be used from an address. Without ranges, every address may. */
export function isAllowed(address: string, ranges: readonly Range[]): boolean {
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

/** The distinct ranges in a text, and the numbers of its invalid lines, from 1. */
export function readRanges(text: string): { ranges: Range[]; badLines: number[] } {
  const byText = new Map<string, Range>();
  const badLines: number[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const range = readRange(line);
    if (range === null) badLines.push(at + 1);
    else byText.set(range.text, range);
  }
  return { ranges: [...byText.values()], badLines };
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

/** Normalises an IPv6 address with the browser's URL parser; undefined when it is invalid. */
function ipv6Text(address: string): string | undefined {
  if (!/^[0-9a-f:.]+$/i.test(address) || !address.includes(":")) return undefined;
  const name = `http://[${address}]`;
  return URL.canParse(name) ? new URL(name).hostname.slice(1, -1) : undefined;
}
