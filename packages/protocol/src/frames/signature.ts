import { createHmac, createSecretKey, type Hmac, timingSafeEqual } from "node:crypto";
import { canonicalString } from "../json/canonical.ts";
import type { VerifierOptions } from "./judge.ts";

/** What both ways of verifying share: the key, and the members of the signed object that are not on the wire. */
export interface SessionKey {
  hmac(): Hmac;
  /** `{"agent_id":…,` with which every signed text begins. */
  readonly agentPart: string;
  /** `,"project_id":…`, which stands before seq. */
  readonly projectPart: string;
  /** `,"session_id":…`, which stands before ts. */
  readonly sessionPart: string;
}

const lowerHex = /^[0-9a-f]{64}$/;

export function isSignatureForm(value: unknown): value is string {
  return typeof value === "string" && lowerHex.test(value);
}

export function sessionKeyOf({ secret, session }: VerifierOptions): SessionKey {
  // A key object is prepared once; bytes would be copied for every frame.
  const key = createSecretKey(secret);
  return {
    hmac: () => createHmac("sha256", key),
    agentPart: `{"agent_id":${canonicalString(session.agentId)},`,
    projectPart: `,"project_id":${canonicalString(session.projectId)}`,
    sessionPart: `,"session_id":${canonicalString(session.sessionId)}`,
  };
}

/** Whether a digest is the one written in hex, in constant time. */
export function isDigest(digest: Buffer, hex: string): boolean {
  const carried = Buffer.from(hex, "hex");
  return carried.length === digest.length && timingSafeEqual(digest, carried);
}
