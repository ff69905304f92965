import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { namePrefix } from "../name-prefix.ts";

/** Labels that separate the digests of different kinds of tokens. */
export const tokenLabels = {
  agentToken: `${namePrefix}-agent-token-v1`,
  apiKey: `${namePrefix}-api-key-v1`,
  invitation: `${namePrefix}-invitation-v1`,
  passwordReset: `${namePrefix}-password-reset-v1`,
  recoveryCode: `${namePrefix}-recovery-code-v1`,
  setup: `${namePrefix}-setup-v1`,
} as const;
export type TokenLabel = (typeof tokenLabels)[keyof typeof tokenLabels];

export const apiKeyPrefix = "svk_";
const tokenBytes = 32;
const nonceBytes = 16;

/** A new bearer token: unpadded base64url of 32 random bytes, 43 characters. */
export function randomToken(): string {
  return randomBytes(tokenBytes).toString("base64url");
}

/** A new API key with its prefix. */
export function randomApiKey(): string {
  return apiKeyPrefix + randomToken();
}

/** A new frame or session nonce: unpadded base64url of 16 random bytes, 22 characters. */
export function randomNonce(): string {
  return randomBytes(nonceBytes).toString("base64url");
}

/** The stored form of a token: lower-case hex HMAC-SHA256, keyed with the master secret and the label. */
export function tokenDigest(master: string, label: TokenLabel, token: string): string {
  return createHmac("sha256", Buffer.from(master + label))
    .update(token)
    .digest("hex");
}

/** Compares two secrets or digests in constant time after a length check. */
export function equalSecrets(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
