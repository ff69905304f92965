import { hash } from "node:crypto";

/** Namespaces of derived ids. Each is the UUIDv5 of the URL namespace and the name in its comment. */
export const idNamespaces = {
  /** `svc:event:v1`: events without a usable id. */
  event: "b3e89d97-c20e-5454-88d3-45d0e4f08b1b",
  /** `svc:sidecar-event:v1`: events from agents that watch a broker. */
  sidecarEvent: "f4d5aaaa-54e0-5b28-be53-52a1b7edf31f",
  /** Task rows. */
  task: "f37a6ec2-6b73-5163-9acc-b4fc0ea51bc6",
  /** Events that reconciliation adds. */
  reconciliation: "b66869fb-1f33-5d48-a0bd-5a409395fd35",
  /** Fires of schedules. */
  fire: "3028e9d1-74a5-5e15-99a9-7a943831479d",
} as const;

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const usableEventId = /^[0-9a-f]{8}-[0-9a-f]{4}-[457][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const namespaceBytes = new Map<string, Buffer>();

export function isUuid(text: string): boolean {
  return text.length === 36 && uuidForm.test(text);
}

/** The 16 bytes of a UUID in text order. @throws RangeError when the text is not a UUID. */
export function uuidBytes(uuid: string): Buffer {
  if (!isUuid(uuid)) throw new RangeError("not a UUID in the 36-character form");
  return Buffer.from(uuid.replaceAll("-", ""), "hex");
}

/** The event's own id in lower case when it is a UUID of version 4, 5 or 7, otherwise null. */
export function usableId(id: unknown): string | null {
  return typeof id === "string" && id.length === 36 && usableEventId.test(id) ? id.toLowerCase() : null;
}

/** UUID version 5 (RFC 9562) of a UTF-8 name. */
export function uuidV5(namespace: string, name: string): string {
  let prefix = namespaceBytes.get(namespace);
  if (prefix === undefined) {
    prefix = uuidBytes(namespace);
    // Namespaces are constants. The bound protects against a caller that passes data.
    if (namespaceBytes.size < 64) namespaceBytes.set(namespace, prefix);
  }
  const input = Buffer.allocUnsafe(16 + Buffer.byteLength(name));
  prefix.copy(input);
  input.write(name, 16);
  const hex = hash("sha1", input, "hex");
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
