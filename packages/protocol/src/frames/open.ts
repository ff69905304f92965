import { areNumbersCanonical, mayHoldOddNumber } from "../json/odd-numbers.ts";
import { parseJson } from "../json/parse-json.ts";
import { isJsonObject } from "../json/raw.ts";
import { wellFormedText } from "../json/unicode.ts";
import { accept, judgeEnvelope, malformed, type OpenedFrame, type VerifierOptions } from "./judge.ts";
import { isDigest, isSignatureForm, sessionKeyOf } from "./signature.ts";
import { createSlowPath } from "./slow-path.ts";

const leading = '{"hmac":"';
const hexLength = 64;
const headAt = leading.length + hexLength + 2;
const tailSearch = 256;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids unescaped control characters
const tailForm = /,"seq":[1-9][0-9]{0,15}(,"ts":"[^"\\\u0000-\u001f]*","type":"[a-z_]+","v":2\})$/;
const wireKeys = ["hmac", "id", "nonce", "payload", "seq", "ts", "type", "v"] as const;
const canonicalFacts = { isOurVersion: true, isSeqInteger: true };

interface Cut {
  readonly signature: string;
  /** From `,"seq":` to the end of the text. */
  readonly tail: string;
  /** The tail from `,"ts":` to its end. */
  readonly end: string;
}

/** Canonical text never escapes a surrogate, and half of an escaped pair has no canonical form. */
const escapedSurrogate = /\\ud/i;
const holdsEscapedSurrogate = (text: string): boolean => text.includes("\\u") && escapedSurrogate.test(text);

/** Splits a text that starts and ends like canonical text. Null for any other text. */
function cutCanonical(text: string): Cut | null {
  if (!text.startsWith(leading) || !text.startsWith('",', leading.length + hexLength)) return null;
  const signature = text.slice(leading.length, leading.length + hexLength);
  if (!isSignatureForm(signature) || holdsEscapedSurrogate(text)) return null;
  const match = tailForm.exec(text.slice(Math.max(headAt, text.length - tailSearch)));
  return match === null ? null : { signature, tail: match[0], end: match[1] as string };
}

function hasExactKeys(value: object): boolean {
  const keys = Object.keys(value);
  return keys.length === wireKeys.length && wireKeys.every((key, index) => keys[index] === key);
}

export type Verifier = ReturnType<typeof createVerifier>;

/**
 * Opens received frames. In canonical text, which svc's own senders write, the signed bytes are a splice of the text: the fast path checks
 * the signature before it parses anything. Every other text takes the slow path. For canonical text both paths give the same verdict.
 */
export function createVerifier(options: VerifierOptions) {
  const key = sessionKeyOf(options);
  const openSlowly = createSlowPath(key, options.session);

  /** Hashes the candidate text. Received bytes are used as they are, so nothing is encoded again. */
  function isSpliceSigned(message: string | Uint8Array, text: string, { signature, tail, end }: Cut): boolean {
    const hmac = key.hmac().update(key.agentPart);
    if (typeof message === "string") hmac.update(text.slice(headAt, text.length - tail.length));
    else hmac.update(message.subarray(headAt, message.byteLength - Buffer.byteLength(tail)));
    const seq = tail.slice(0, tail.length - end.length);
    return isDigest(hmac.update(key.projectPart + seq + key.sessionPart + end).digest(), signature);
  }

  return {
    /** Verifies one message. Never throws. The caller then runs the replay guard. */
    open(message: string | Uint8Array): OpenedFrame {
      const text = wellFormedText(message);
      if (text === null) return malformed("not well-formed text");
      const cut = cutCanonical(text);
      if (cut === null || !isSpliceSigned(message, text, cut)) return openSlowly(text);
      const isPlain = !mayHoldOddNumber(text);
      let value: unknown;
      try {
        value = isPlain ? JSON.parse(text) : parseJson(text);
      } catch {
        return malformed("the text is not JSON");
      }
      // With an extra top-level key, or a second `hmac`, the candidate is not the canonical form.
      if (!isJsonObject(value) || !hasExactKeys(value) || value.hmac !== cut.signature) return openSlowly(text);
      // A number that is not written canonically has other canonical bytes. One that overflows has none.
      if (!isPlain && !areNumbersCanonical(text)) return openSlowly(text);
      const judged = judgeEnvelope(value, canonicalFacts);
      return judged.ok ? accept(judged.frame, "fast", text) : judged;
    },
  };
}
