import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { canonicalString } from "../json/canonical.ts";
import type { VerifierOptions } from "./judge.ts";

const lowerHex = /^[0-9a-f]{64}$/;

export function isSignatureForm(value: unknown): value is string {
  return typeof value === "string" && lowerHex.test(value);
}

export type SessionKey = ReturnType<typeof sessionKeyOf>;

/** The key and the parts of the signed object that are not sent. Both verification paths use it. */
export function sessionKeyOf({ secret, session }: VerifierOptions) {
  // A key object is prepared once. Raw bytes would be copied for every frame.
  const key = createSecretKey(secret);
  return {
    hmac: () => createHmac("sha256", key),
    /** Start of every signed text. */
    agentPart: `{"agent_id":${canonicalString(session.agentId)},`,
    /** Precedes seq. */
    projectPart: `,"project_id":${canonicalString(session.projectId)}`,
    /** Precedes ts. */
    sessionPart: `,"session_id":${canonicalString(session.sessionId)}`,
  };
}

/** Compares a digest with its hex form in constant time. */
export function isDigest(digest: Buffer, hex: string): boolean {
  const carried = Buffer.from(hex, "hex");
  return carried.length === digest.length && timingSafeEqual(digest, carried);
}
