/**
 * Secrets that the service must read again (TOTP secrets), encrypted in the database with AES-256-GCM under a key derived from the master
 * secret, and bound to the id of the row that owns the secret.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { namePrefix } from "@svc/protocol";
import { sha256Hex } from "./digests.ts";
import type { Keyring } from "./keyring.ts";

const version = "v1";
const nonceBytes = 12;
const tagBytes = 16;
const keyIdChars = 8;

/** A stored secret that no configured master decrypts, or that was changed or moved to another row. */
export class SealedSecretError extends Error {
  constructor() {
    super("a stored secret cannot be opened with the configured master secrets");
    this.name = "SealedSecretError";
  }
}

export interface OpenedSecret {
  readonly secret: string;
  /** Encrypted with an earlier master: encrypt it again with the next write. */
  readonly isOutdated: boolean;
}

/** Encrypts a secret for the row with this id: `v1.<key id>.<unpadded base64url of nonce, ciphertext, tag>`. */
export function sealSecret(masters: Keyring, ownerId: string, secret: string): string {
  const key = keyOf(masters.current);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(ownerId));
  const sealed = Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${version}.${keyIdOf(key)}.${sealed.toString("base64url")}`;
}

/** Decrypts what `sealSecret` made for the same row. @throws SealedSecretError */
export function openSecret(masters: Keyring, ownerId: string, sealed: string): OpenedSecret {
  const [form, keyId, text] = sealed.split(".");
  const index = masters.all.findIndex((master) => keyIdOf(keyOf(master)) === keyId);
  const bytes = Buffer.from(text ?? "", "base64url");
  if (form !== version || index === -1 || bytes.length < nonceBytes + tagBytes) throw new SealedSecretError();
  try {
    const decipher = createDecipheriv("aes-256-gcm", keyOf(masters.all[index]!), bytes.subarray(0, nonceBytes));
    decipher.setAAD(Buffer.from(ownerId)).setAuthTag(bytes.subarray(-tagBytes));
    const secret = Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    return { secret: secret.toString("utf8"), isOutdated: index > 0 };
  } catch {
    throw new SealedSecretError();
  }
}

const keyOf = (master: string): Buffer =>
  Buffer.from(hkdfSync("sha256", Buffer.from(master), Buffer.alloc(0), `${namePrefix}-at-rest-v1`, 32));

const keyIdOf = (key: Buffer): string => sha256Hex(key).slice(0, keyIdChars);
