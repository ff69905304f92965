import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { canonicalString } from "../json/canonical.ts";
import type { VerifierOptions } from "./judge.ts";

const lowerHex = /^[0-9a-f]{64}$/;

export function isSignatureForm(value: unknown): value is string {
  return typeof value === "string" && lowerHex.test(value);
}

export type SessionKey = ReturnType<typeof sessionKeyOf>;

/** What both ways of verifying share: the key, and the members of the signed object that are not on the wire. */
export function sessionKeyOf({ secret, session }: VerifierOptions) {
  // A key object is prepared once; bytes would be copied for every frame.
  const key = createSecretKey(secret);
  return {
    hmac: () => createHmac("sha256", key),
    /** With this every signed text begins. */
    agentPart: `{"agent_id":${canonicalString(session.agentId)},`,
    /** Stands before seq. */
    projectPart: `,"project_id":${canonicalString(session.projectId)}`,
    /** Stands before ts. */
    sessionPart: `,"session_id":${canonicalString(session.sessionId)}`,
  };
}

/** Whether a digest is the one written in hex, in constant time. */
export function isDigest(digest: Buffer, hex: string): boolean {
  const carried = Buffer.from(hex, "hex");
  return carried.length === digest.length && timingSafeEqual(digest, carried);
}
