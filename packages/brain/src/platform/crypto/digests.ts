import { createHash } from "node:crypto";
import { type TokenLabel, tokenDigest } from "@svc/protocol";
import type { Keyring } from "./keyring.ts";

/** The digest to store for a new token: under the current master. */
export function storedDigest(keyring: Keyring, label: TokenLabel, token: string): string {
  return tokenDigest(keyring.current, label, token);
}

/** The digests a presented token may be stored under, current master first: look the row up with `in`, or one by one. */
export function candidateDigests(keyring: Keyring, label: TokenLabel, token: string): string[] {
  return keyring.all.map((master) => tokenDigest(master, label, token));
}

/** Lower-case hex SHA-256, for values that are random enough to need no key. */
export function sha256Hex(value: string | Uint8Array): string {
  return createHash("sha256").update(value).digest("hex");
}

const cookiePattern = /^[A-Za-z0-9_-]{43}$/;

/** The digest under which a cookie of 32 random bytes is stored; null for what cannot be one. */
export const cookieDigest = (cookie: string | undefined): string | null =>
  cookie !== undefined && cookiePattern.test(cookie) ? sha256Hex(Buffer.from(cookie, "base64url")) : null;
