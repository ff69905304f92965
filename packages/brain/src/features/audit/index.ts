export { type Audit, createAudit } from "./audit.ts";
export { UnknownChainKey } from "./chain.ts";
export type { AuditEntry } from "./entry.ts";
export { type AuditOrigin, originOf, ownOrigin } from "./origin.ts";
