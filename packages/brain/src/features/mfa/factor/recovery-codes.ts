/** Codes that replace the authenticator app, each once: three groups of five characters, without characters that are easily confused. */
import { randomInt } from "node:crypto";
import { tokenLabels } from "@svc/protocol";
import { candidateDigests, storedDigest } from "../../../platform/crypto/digests.ts";
import type { Keyring } from "../../../platform/crypto/keyring.ts";

const alphabet = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const groups = 3;
const groupChars = 5;

export interface MintedCodes {
  /** Shown to the user only, once. */
  readonly codes: readonly string[];
  readonly digests: readonly string[];
}

export function mintRecoveryCodes(masters: Keyring, count: number): MintedCodes {
  const codes = new Set<string>();
  while (codes.size < count) codes.add(Array.from({ length: groups }, randomGroup).join("-"));
  const digests = [...codes].map((code) => storedDigest(masters, tokenLabels.recoveryCode, plainForm(code)));
  return { codes: [...codes], digests };
}

/** The digests under which a typed recovery code may be stored; case, hyphens and spaces are ignored. */
export const recoveryDigests = (masters: Keyring, code: string): string[] =>
  candidateDigests(masters, tokenLabels.recoveryCode, plainForm(code));

const plainForm = (code: string): string => code.replaceAll(/[-\s]/g, "").toUpperCase();

const randomGroup = (): string =>
  Array.from({ length: groupChars }, () => alphabet[randomInt(alphabet.length)]).join("");
