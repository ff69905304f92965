import { canonicalString, canonicalText } from "../json/canonical.ts";
import { randomNonce } from "../keys/tokens.ts";
import type { SignedFrameType } from "./envelope.ts";
import type { VerifierOptions } from "./judge.ts";
import { sessionKeyOf } from "./signature.ts";

export interface SignerOptions extends VerifierOptions {
  readonly now?: () => Date;
}

export type Signer = ReturnType<typeof createSigner>;

/** Signs the frames of one session and direction. Hand each text to the transport before signing the next, so that seq order is send order. */
export function createSigner({ secret, session, now = () => new Date() }: SignerOptions) {
  const key = sessionKeyOf({ secret, session });
  let lastSeq = 0;

  /** Like `sign`, for a payload that is canonical JSON text already, as in the agent's buffer. The text is not validated. */
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
    /** Canonical wire text of a frame. Throws CanonicalError for a payload without canonical form and then uses no sequence number. */
    sign: (type: SignedFrameType, payload: Record<string, unknown> | null, id: string) =>
      signText(type, canonicalText(payload), id),
    /** Restarts at 1. Called for a probe of the long-poll session without a nonce header. */
    resetSeq() {
      lastSeq = 0;
    },
  };
}
