export { type DerivedEvent, eventIdOf, type SidecarEvent, sidecarEventId, taskRowId } from "./events/identity.ts";
export { type InstantOptions, msInstant, readInstant } from "./events/instants.ts";
export type { EventRecord } from "./events/record.ts";
export {
  type CloseCode,
  type CloseReaction,
  closeCodes,
  closeReaction,
  reconnectJitter,
  reconnectWaits,
} from "./frames/close-codes.ts";
export {
  type Frame,
  type FrameType,
  frameTypes,
  frameVersion,
  type HandshakeFrameType,
  isFrameType,
  protocolVersion,
  type SessionIds,
  type SignedFrameType,
  typesForAgent,
  typesForBrain,
} from "./frames/envelope.ts";
export { wireLimits, wireTimes } from "./frames/limits.ts";
export {
  createVerifier,
  type OpenedFrame,
  openFrame,
  type RefusalReason,
  type Verifier,
  type VerifierOptions,
} from "./frames/open.ts";
export {
  createReplayGuard,
  type ReplayGuard,
  type ReplayGuardOptions,
  type ReplayVerdict,
} from "./frames/replay-guard.ts";
export { createSigner, type Signer, type SignerOptions } from "./frames/sign.ts";
export { idNamespaces, isUuid, usableId, uuidBytes, uuidV5 } from "./ids.ts";
export { CanonicalError, canonicalizeText, canonicalText, compareCodePoints } from "./json/canonical.ts";
export { parseJson } from "./json/parse-json.ts";
export { asNumber, isRawJson, type RawJson, rawJson } from "./json/raw.ts";
export { cutCharacters, fitsCharacters, holdsControlCharacter, withoutNul } from "./json/unicode.ts";
export { decodeHmacSecret, hmacSecretOf, projectSecret, purgeConfirmToken } from "./keys/derivation.ts";
export {
  apiKeyPrefix,
  equalSecrets,
  randomApiKey,
  randomNonce,
  randomToken,
  type TokenLabel,
  tokenDigest,
  tokenLabels,
} from "./keys/tokens.ts";
export { headerNames, namePrefix } from "./name-prefix.ts";
export { createRedactor, type Redactor, type RedactorOptions, redactionMarker } from "./redaction/redactor.ts";
export * from "./vocabulary.ts";
