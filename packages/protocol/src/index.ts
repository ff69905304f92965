export * from "./commands/actions.ts";
export type { CommandResult, ReconciledState, ResultAction } from "./commands/results.ts";
export { type CarriedFields, carriedFields } from "./events/carried-fields.ts";
export { eventIdOf, sidecarEventId, taskRowId } from "./events/identity.ts";
export { readInstant } from "./events/instants.ts";
export { receivedData } from "./events/received-data.ts";
export { type EventRecord, type RecordHead, readRecordHead, taskIdCharacters } from "./events/record-head.ts";
export { batchTimeOf, eventTimeOf, retentionHorizonMs } from "./events/times.ts";
export {
  type CloseReaction,
  closeCodes,
  closeReaction,
  reconnectJitter,
  reconnectWaits,
} from "./frames/close-codes.ts";
export {
  type Frame,
  type FrameType,
  protocolVersion,
  type SessionIds,
  type SignedFrameType,
} from "./frames/envelope.ts";
export type { OpenedFrame, RefusedFrame } from "./frames/judge.ts";
export { wireLimits, wireTimes } from "./frames/limits.ts";
export { createVerifier, type Verifier } from "./frames/open.ts";
export { createReplayGuard, type ReplayGuard } from "./frames/replay-guard.ts";
export { createSigner, type Signer } from "./frames/sign.ts";
export { idNamespaces, isUuid, uuidV5 } from "./ids.ts";
export { CanonicalError, canonicalizeText, canonicalText, compareCodePoints } from "./json/canonical.ts";
export { holdsOverflow } from "./json/odd-numbers.ts";
export { holdsLongNumber, parseJson } from "./json/parse-json.ts";
export { asNumber, isJsonObject, isRawJson, rawJson } from "./json/raw.ts";
export { cutCharacters, fitsCharacters, holdsControlCharacter, storableText, withoutNul } from "./json/unicode.ts";
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
export { nearest } from "./nearest.ts";
export { type EngineReport, type QueueHold, readAdapterHealth, type WorkerReport } from "./payloads/adapter-health.ts";
export * from "./payloads/agent-frames.ts";
export * from "./payloads/brain-frames.ts";
export * from "./payloads/hello.ts";
export { cutText } from "./redaction/cut.ts";
export { RedactionPatternError } from "./redaction/extra-patterns.ts";
export { omittedMembersNote, omittedTextNote, redactionMarker } from "./redaction/markers.ts";
export { createRedactor, type Redactor } from "./redaction/redactor.ts";
export {
  type DigestedSchedule,
  definitionDigest,
  fireIdOf,
  type ScheduleDefinition,
  SnapshotDigest,
} from "./scheduler/digests.ts";
export * from "./scheduler/messages.ts";
export { schedulerProto } from "./scheduler/proto.ts";
export {
  createReplaceableTls,
  type ReadTls,
  type ReplaceableTls,
  readTls,
  type TlsFault,
  type TlsMember,
  type TlsTexts,
} from "./scheduler/tls.ts";
export * from "./vocabulary.ts";
