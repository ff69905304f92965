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
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not hold them unescaped
const tailForm = /,"seq":[1-9][0-9]{0,15}(,"ts":"[^"\\\u0000-\u001f]*","type":"[a-z_]+","v":2\})$/;
const wireKeys = ["hmac", "id", "nonce", "payload", "seq", "ts", "type", "v"] as const;
const canonicalFacts = { isOurVersion: true, isSeqInteger: true };

interface Cut {
  readonly signature: string;
  /** From `,"seq":` to the end of the text. */
  readonly tail: string;
  /** The part of the tail from `,"ts":` on. */
  readonly end: string;
}

/** Canonical text writes characters as they are, and half of an escaped pair would have no canonical form at all. */
const escapedSurrogate = /\\ud/i;
const holdsEscapedSurrogate = (text: string): boolean => text.includes("\\u") && escapedSurrogate.test(text);

/** Where a text that begins and ends like ours is to be cut, or null. */
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
 * Opening a received frame. Text from our own senders is canonical, so the signed bytes are a splice of the text itself:
 * the signature is checked before anything is parsed. Every other text takes the slow path. On every canonical text both together
 * give the verdict of the slow path alone.
 */
export function createVerifier(options: VerifierOptions) {
  const key = sessionKeyOf(options);
  const openSlowly = createSlowPath(key, options.session);

  /** Digest of the candidate text, taken from the received bytes where there are some, so that nothing is encoded again. */
  function isSpliceSigned(message: string | Uint8Array, text: string, { signature, tail, end }: Cut): boolean {
    const hmac = key.hmac().update(key.agentPart);
    if (typeof message === "string") hmac.update(text.slice(headAt, text.length - tail.length));
    else hmac.update(message.subarray(headAt, message.byteLength - Buffer.byteLength(tail)));
    const seq = tail.slice(0, tail.length - end.length);
    return isDigest(hmac.update(key.projectPart + seq + key.sessionPart + end).digest(), signature);
  }

  return {
    /** Judges one message. Never throws; the replay guard comes after it. */
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
      // A further top-level key, or a second `hmac`, makes the candidate something else than the canonical form.
      if (!isJsonObject(value) || !hasExactKeys(value) || value.hmac !== cut.signature) return openSlowly(text);
      // A number in another spelling has other canonical bytes, and one that overflows has none.
      if (!isPlain && !areNumbersCanonical(text)) return openSlowly(text);
      const judged = judgeEnvelope(value, canonicalFacts);
      return judged.ok ? accept(judged.frame, "fast", text) : judged;
    },
  };
}
