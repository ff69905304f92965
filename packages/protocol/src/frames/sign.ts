import { canonicalString, canonicalText } from "../json/canonical.ts";
import { randomNonce } from "../keys/tokens.ts";
import type { SignedFrameType } from "./envelope.ts";
import type { VerifierOptions } from "./judge.ts";
import { sessionKeyOf } from "./signature.ts";

export interface SignerOptions extends VerifierOptions {
  readonly now?: () => Date;
}

export type Signer = ReturnType<typeof createSigner>;

/** Signs the frames of one session and direction. Hand each text to the transport before signing the next: seq order is send order. */
export function createSigner({ secret, session, now = () => new Date() }: SignerOptions) {
  const key = sessionKeyOf({ secret, session });
  let lastSeq = 0;

  /** As `sign`, for a payload that already is canonical JSON text, as the agent's buffer keeps it. Not checked. */
  function signText(type: SignedFrameType, payload: string, id: string): string {
    const head = `"id":${canonicalString(id)},"nonce":"${randomNonce()}","payload":${payload}`;
    const end = `,"ts":"${now().toISOString()}","type":"${type}","v":2}`;
    lastSeq += 1;
    const seq = `,"seq":${lastSeq}`;
    const signed = key.agentPart + head + key.projectPart + seq + key.sessionPart + end;
    const signature = key.hmac().update(signed).digest("hex");
    return `{"hmac":"${signature}",${head}${seq}${end}`;
  }

  return {
    signText,
    /** Canonical wire text of a frame; a payload without canonical form throws CanonicalError and takes no sequence number. */
    sign: (type: SignedFrameType, payload: Record<string, unknown> | null, id: string) =>
      signText(type, canonicalText(payload), id),
    /** Starts again at 1, as a probe of the legacy long-poll session asks. */
    resetSeq() {
      lastSeq = 0;
    },
  };
}
