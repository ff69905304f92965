import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import type { Keyring } from "../../../platform/crypto/keyring.ts";

export interface ChainKey {
  readonly id: string;
  /** Prepared once: from raw bytes, each HMAC would take four times as long. */
  readonly secret: KeyObject;
}

export interface ChainKeys {
  readonly current: ChainKey;
  /** The key with this id, current or previous; undefined for an unknown id. */
  find(id: string): ChainKey | undefined;
}

const keyIdLabel = "svc/audit-chain/key-id/v1\0";
const maxKeys = 32;
const minSecretBytes = 32;

/** Public id of a chain key: identifies the signing key without revealing it. */
export const chainKeyId = (secret: Uint8Array): string => createHmac("sha256", secret).update(keyIdLabel).digest("hex");

/**
 * The keys of the audit chain.
 *
 * @throws RangeError when there are more than 32, two are equal, or one has fewer than 32 bytes; never with a secret in its message.
 */
export function createChainKeys(secrets: Keyring): ChainKeys {
  const keys = secrets.all.map((text) => {
    const secret = Buffer.from(text);
    if (secret.length < minSecretBytes)
      throw new RangeError(`an audit chain secret has fewer than ${minSecretBytes} bytes`);
    return { id: chainKeyId(secret), secret: createSecretKey(secret) };
  });
  if (keys.length > maxKeys) throw new RangeError(`there are more than ${maxKeys} audit chain secrets`);
  const byId = new Map(keys.map((key) => [key.id, key]));
  if (byId.size < keys.length) throw new RangeError("two audit chain secrets are equal");
  return { current: keys[0]!, find: (id) => byId.get(id) };
}
