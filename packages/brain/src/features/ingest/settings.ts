import { Type } from "typebox";

export const ingestSettings = Type.Object({
  SVC_WS_INGEST_QUEUE_MAXSIZE: Type.Integer({
    default: 2000,
    minimum: 16,
    maximum: 50_000,
    description: "frames that may wait to be stored; when more do, the brain stops reading agent sockets",
  }),
  SVC_MAX_PAYLOAD_SIZE_BYTES: Type.Integer({
    default: 8192,
    minimum: 128,
    maximum: 1_048_576,
    description: "UTF-8 bytes after which a string of event data is cut",
  }),
  SVC_REDACTION_EXTRA_KEY_PATTERNS: Type.Array(Type.String(), {
    default: [],
    description: "regular expressions, JSON array: keys whose values are replaced by the marker",
  }),
  SVC_REDACTION_EXTRA_VALUE_PATTERNS: Type.Array(Type.String(), {
    default: [],
    description: "regular expressions, JSON array: one hit replaces a whole string by the marker",
  }),
});
