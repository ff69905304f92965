import { createHmac } from "node:crypto";
import { uuidBytes } from "../ids.ts";
import { namePrefix } from "../name-prefix.ts";

const projectSecretLabel = `${namePrefix}-project-secret-v1:`;
const secretBytes = 32;

/** The bytes of a UUID with its first three groups byte-swapped, the form used in key derivation. */
export function swappedUuidBytes(uuid: string): Buffer {
  const bytes = uuidBytes(uuid);
  bytes.subarray(0, 4).reverse();
  bytes.subarray(4, 6).reverse();
  bytes.subarray(6, 8).reverse();
  return bytes;
}

/** The 32-byte key that signs every frame of a project. `master` is the text of the current master secret. */
export function projectSecret(master: string, projectId: string): Buffer {
  return createHmac("sha256", Buffer.from(master))
    .update(projectSecretLabel)
    .update(swappedUuidBytes(projectId))
    .digest();
}

/** The project secret in the form that agents receive: padded base64url. */
export function hmacSecretOf(secret: Uint8Array): string {
  const unpadded = Buffer.from(secret).toString("base64url");
  return unpadded + "=".repeat((4 - (unpadded.length % 4)) % 4);
}

/**
 * Decodes an `hmac_secret` as an operator may have pasted it. Ignores white space and padding.
 *
 * @throws RangeError when the text is not base64url or has fewer than 32 bytes. The message never contains the text.
 */
export function decodeHmacSecret(text: string): Buffer {
  const stripped = text.replace(/\s+/g, "").replace(/(?<!=)=+$/, "");
  if (!/^[A-Za-z0-9_-]+$/.test(stripped)) throw new RangeError("the HMAC secret is not valid base64url");
  const secret = Buffer.from(stripped, "base64url");
  if (secret.length < secretBytes) throw new RangeError(`the HMAC secret has fewer than ${secretBytes} bytes`);
  return secret;
}

/** The confirm token of a purge. It proves that the caller saw this depth of the queue. */
export function purgeConfirmToken(secret: Uint8Array, queue: string, depth: number): string {
  return createHmac("sha256", secret).update(`purge|${queue}|${depth}`).digest("hex");
}
