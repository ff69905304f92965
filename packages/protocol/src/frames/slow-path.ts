import { CanonicalError, canonicalText, integerLexemeOf, readLexemes } from "../json/canonical.ts";
import { parseJson } from "../json/parse-json.ts";
import { isJsonObject } from "../json/raw.ts";
import { setOwn } from "../json/read-json.ts";
import { frameVersion, type SessionIds } from "./envelope.ts";
import { accept, judgeEnvelope, malformed, type OpenedFrame, refuse } from "./judge.ts";
import { isDigest, isSignatureForm, type SessionKey } from "./signature.ts";

/**
 * Verifies a frame written in any valid JSON: parses it with number lexemes, builds the signed object and checks the signature of its
 * canonical form. The values of the frame still come from an ordinary parse.
 */
export function createSlowPath(key: SessionKey, session: SessionIds): (text: string) => OpenedFrame {
  function isSignatureGood(received: Record<string, unknown>, signature: unknown): boolean {
    const signed: Record<string, unknown> = {};
    for (const name of Object.keys(received)) if (name !== "hmac") setOwn(signed, name, received[name]);
    signed.agent_id = session.agentId;
    signed.project_id = session.projectId;
    signed.session_id = session.sessionId;
    // Computed first: a text without canonical form is malformed, whatever its signature is.
    const bytes = canonicalText(signed);
    return isSignatureForm(signature) && isDigest(key.hmac().update(bytes).digest(), signature);
  }

  return (text) => {
    let received: unknown;
    let value: unknown;
    try {
      received = readLexemes(text);
      value = parseJson(text);
    } catch {
      return malformed("the text is not JSON");
    }
    if (!isJsonObject(received) || !isJsonObject(value)) return malformed("not an object");
    const version = integerLexemeOf(received.v);
    if (version === null) return malformed("v is not an integer");
    const judged = judgeEnvelope(value, {
      isOurVersion: version === String(frameVersion),
      isSeqInteger: integerLexemeOf(received.seq) !== null,
    });
    if (!judged.ok) return judged;
    try {
      if (isSignatureGood(received, value.hmac)) return accept(judged.frame, "slow", text);
      return refuse("signature", judged.frame, "the signature does not match");
    } catch (error) {
      if (error instanceof CanonicalError) return refuse("malformed", judged.frame, error.message);
      throw error;
    }
  };
}
