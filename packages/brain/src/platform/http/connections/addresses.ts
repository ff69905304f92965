/**
 * Client addresses behind proxies, and address ranges. The same result is used for allow-lists, rate limits, audit rows
 * and sessions.
 */
import ipaddr from "ipaddr.js";

/** Parsed ranges; the text form is the canonical one that is stored and shown. */
export interface AddressRange {
  readonly text: string;
  readonly address: ipaddr.IPv4 | ipaddr.IPv6;
  readonly prefixBits: number;
}

/** The networks that an address is counted in, from narrow to wide. A text that is not an address is a separate network. */
export interface AddressNetworks {
  /** What one customer has: the /64 of an IPv6 address, an IPv4 address itself. */
  readonly block: string;
  /** The /48 of an IPv6 address, the /24 of an IPv4 address. */
  readonly site: string;
  /** The /32 of an IPv6 address, the /16 of an IPv4 address: about what a provider has. */
  readonly allocation: string;
  readonly isIpv6: boolean;
}

/** More entries of X-Forwarded-For than this are not read, so that a long header costs no more than a short one. */
const maxForwardedEntries = 32;
const plainIpv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;

/**
 * The canonical text of one address: brackets, port and zone removed, IPv4-mapped IPv6 as IPv4, IPv6 compressed and
 * lower case; null when `text` is no address. Shorthands that C libraries take ("127.1", "0x7f000001") are none.
 */
export function normalizeAddress(text: string): string | null {
  if (plainIpv4.test(text)) return text;
  return parseAddress(text)?.toString() ?? null;
}

/**
 * A CIDR or a bare address (one host) with host bits cleared; null when it is neither. `/0` is a range like any other.
 * A range of IPv4-mapped addresses becomes the IPv4 range.
 */
export function parseRange(text: string): AddressRange | null {
  const trimmed = text.trim();
  const slash = trimmed.indexOf("/");
  const addressText = slash < 0 ? trimmed : trimmed.slice(0, slash);
  const bitsText = slash < 0 ? null : trimmed.slice(slash + 1);
  if (bitsText !== null && !/^(?:0|[1-9]\d{0,2})$/.test(bitsText)) return null;
  const written = parseUnmapped(addressText);
  if (written === null) return null;
  const widest = written.kind() === "ipv4" ? 32 : 128;
  let prefixBits = bitsText === null ? widest : Number(bitsText);
  if (prefixBits > widest) return null;
  let address = written;
  if (written.kind() === "ipv6" && (written as ipaddr.IPv6).isIPv4MappedAddress() && prefixBits >= 96) {
    address = (written as ipaddr.IPv6).toIPv4Address();
    prefixBits -= 96;
  }
  const bytes = address
    .toByteArray()
    .map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, prefixBits - index * 8))));
  const masked = ipaddr.fromByteArray(bytes);
  return { text: `${masked.toString()}/${prefixBits}`, address: masked, prefixBits };
}

/** Ranges from settings or a stored list; `faults` has the positions of entries that do not parse. */
export function parseRanges(texts: readonly string[]): { ranges: AddressRange[]; faults: number[] } {
  const ranges: AddressRange[] = [];
  const faults: number[] = [];
  for (const [index, text] of texts.entries()) {
    const range = parseRange(text);
    if (range === null) faults.push(index);
    else ranges.push(range);
  }
  return { ranges, faults };
}

/** Whether a normalised address lies in one of the ranges. IPv4 never matches an IPv6 range; no address matches no list. */
export function inRanges(address: string, ranges: readonly AddressRange[]): boolean {
  if (ranges.length === 0) return false;
  const parsed = parseAddress(address);
  if (parsed === null) return false;
  return ranges.some(
    (range) => range.address.kind() === parsed.kind() && parsed.match(range.address as never, range.prefixBits),
  );
}

/**
 * The client's address: the peer, or what trusted proxies report of it.
 *
 * @param peer the socket's remote address; undefined for sockets that have none, which gives "unknown" (in no range).
 * @param forwarded the X-Forwarded-For headers joined by commas in order.
 */
export function resolveClientAddress(
  peer: string | undefined,
  forwarded: string | undefined,
  trusted: readonly AddressRange[],
): string {
  let client = peer === undefined ? null : normalizeAddress(peer);
  if (client === null) return "unknown";
  if (forwarded === undefined || trusted.length === 0 || !inRanges(client, trusted)) return client;
  let end = forwarded.length;
  for (let read = 0; read < maxForwardedEntries && end >= 0; read += 1) {
    const comma = end === 0 ? -1 : forwarded.lastIndexOf(",", end - 1);
    const entry = normalizeAddress(forwarded.slice(comma + 1, end).trim());
    if (entry === null) break;
    client = entry;
    if (!inRanges(entry, trusted)) break;
    end = comma;
  }
  return client;
}

/** What counts as one source: the canonical /64 of an IPv6 address (`2001:db8:1:2::/64`), an IPv4 address itself. */
export const addressBlock = (address: string): string => networksOf(address).block;

/**
 * The source of a request in a fair queue: the signed-in user, so that others in the same network do not wait for it, else the /48 of an
 * IPv6 address or an IPv4 address. Work of the service itself is one source.
 */
export function sourceOf(origin: { readonly user_id: string | null; readonly source_ip: string | null }): string {
  if (origin.user_id !== null) return `user:${origin.user_id}`;
  if (origin.source_ip === null) return "";
  const networks = networksOf(origin.source_ip);
  return networks.isIpv6 ? networks.site : networks.block;
}

export function networksOf(address: string): AddressNetworks {
  if (plainIpv4.test(address)) return ipv4Networks(address);
  const parsed = parseUnmapped(address);
  if (parsed === null) return { block: address, site: address, allocation: address, isIpv6: false };
  if (parsed.kind() === "ipv4") return ipv4Networks(parsed.toString());
  const { parts } = parsed as ipaddr.IPv6;
  const embedded = embeddedIpv4(parts);
  if (embedded !== null) return ipv4Networks(embedded);
  return {
    block: ipv6Network(parts, 4),
    site: ipv6Network(parts, 3),
    allocation: ipv6Network(parts, 2),
    isIpv6: true,
  };
}

function ipv4Networks(address: string): AddressNetworks {
  const last = address.lastIndexOf(".");
  const middle = address.lastIndexOf(".", last - 1);
  return {
    block: address,
    site: `${address.slice(0, last)}.0/24`,
    allocation: `${address.slice(0, middle)}.0.0/16`,
    isIpv6: false,
  };
}

/** The text of RFC 5952: the zeros at the end are always the longest run, because at least half of the address is zero. */
function ipv6Network(parts: readonly number[], words: number): string {
  let end = words;
  while (end > 0 && parts[end - 1] === 0) end -= 1;
  const written = parts.slice(0, end).map((part) => part.toString(16));
  return `${written.join(":")}::/${words * 16}`;
}

/**
 * The IPv4 address whose owner uses this IPv6 address. By 6to4 and Teredo the owner of one IPv4 address gets many /64s; behind a NAT64
 * or SIIT translator all IPv4 clients share one. Both are counted as the IPv4 address.
 */
function embeddedIpv4(parts: readonly number[]): string | null {
  const [first = 0, second = 0, third = 0] = parts;
  const [fourth = 0, fifth = 0, sixth = 0, seventh = 0, eighth = 0] = parts.slice(3);
  const areMiddleZero = third === 0 && fourth === 0;
  // Mapped ::ffff:0:0/96 (RFC 4291) and translated ::ffff:0:0:0/96 (RFC 2765).
  if (first === 0 && second === 0 && areMiddleZero) {
    const isEmbedded = (fifth === 0 && sixth === 0xffff) || (fifth === 0xffff && sixth === 0);
    return isEmbedded ? ipv4Text(seventh, eighth) : null;
  }
  // The well-known NAT64 prefix 64:ff9b::/96 (RFC 6052).
  if (first === 0x64 && second === 0xff9b && areMiddleZero && fifth === 0 && sixth === 0)
    return ipv4Text(seventh, eighth);
  // 6to4, 2002::/16 (RFC 3056).
  if (first === 0x2002) return ipv4Text(second, third);
  // Teredo, 2001::/32 (RFC 4380): the client's address, inverted.
  if (first === 0x2001 && second === 0) return ipv4Text(seventh ^ 0xffff, eighth ^ 0xffff);
  return null;
}

const ipv4Text = (high: number, low: number): string => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const parsed = parseUnmapped(text);
  if (parsed === null || parsed.kind() === "ipv4") return parsed;
  const six = parsed as ipaddr.IPv6;
  return six.isIPv4MappedAddress() ? six.toIPv4Address() : six;
}

function parseUnmapped(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (text.length > 100) return null;
  let bare = text;
  if (bare.startsWith("[")) {
    const close = bare.indexOf("]");
    if (close < 0 || !/^(?::\d{1,5})?$/.test(bare.slice(close + 1))) return null;
    bare = bare.slice(1, close);
  } else if (bare.includes(".") && bare.indexOf(":") === bare.lastIndexOf(":")) {
    bare = bare.replace(/:\d{1,5}$/, "");
  }
  if (plainIpv4.test(bare)) return ipaddr.IPv4.parse(bare);
  const zone = bare.indexOf("%");
  if (zone >= 0) bare = bare.slice(0, zone);
  return bare.includes(":") && ipaddr.IPv6.isValid(bare) ? ipaddr.IPv6.parse(bare) : null;
}
