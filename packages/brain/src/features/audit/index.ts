export { type HeadAnchor, parseAnchor } from "./anchor.ts";
export { type Audit, createAudit } from "./audit.ts";
export { UnknownChainKey } from "./chain.ts";
export type { AuditEntry } from "./entry.ts";
export { pruneAudit, verifyAudit } from "./loops.ts";
export { createRetentionMetrics, createVerifierMetrics } from "./metrics.ts";
export { type AuditOrigin, originOf, ownOrigin } from "./origin.ts";
export { auditSettings } from "./settings.ts";
export { type ChainUpkeep, createUpkeep } from "./upkeep.ts";
