/**
 * The value of the session cookie: `<random>.<signature>`, both unpadded base64url. The signature saves a database look-up for forged
 * values; the row, found by the SHA-256 of the random part, decides.
 */
import { createHmac, randomBytes } from "node:crypto";
import { equalSecrets } from "@svc/protocol";
import { sha256Hex } from "./digests.ts";
import type { Keyring } from "./keyring.ts";

const randomPartBytes = 32;
const cookiePattern = /^([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/;

export interface MintedSession {
  /** For the browser only; never stored or logged. */
  cookie: string;
  /** Lower-case hex, for the session's row. */
  digest: string;
}

/** A fresh session value, signed with the current session secret. */
export function mintSessionCookie(keyring: Keyring): MintedSession {
  const random = randomBytes(randomPartBytes);
  const text = random.toString("base64url");
  return { cookie: `${text}.${sign(keyring.current, text)}`, digest: sha256Hex(random) };
}

/** The digest under which a cookie's session is stored, or null unless one of the session secrets signed it. */
export function sessionDigestOf(keyring: Keyring, cookie: string): string | null {
  const parts = cookiePattern.exec(cookie);
  if (parts === null) return null;
  const [, random, signature] = parts as unknown as [string, string, string];
  const isOurs = keyring.all.some((master) => equalSecrets(signature, sign(master, random)));
  return isOurs ? sha256Hex(Buffer.from(random, "base64url")) : null;
}

function sign(master: string, text: string): string {
  return createHmac("sha256", master).update(text).digest("base64url");
}
