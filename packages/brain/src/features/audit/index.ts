export { type Audit, type AuditDeps, createAudit } from "./audit.ts";
export { ChainIntegrityError } from "./chain.ts";
export type { AuditEntry } from "./entry.ts";
export { type AuditOrigin, originOf, ownOrigin } from "./origin.ts";
