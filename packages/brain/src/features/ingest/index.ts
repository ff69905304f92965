export { createIngest, type Ingest, type IngestDeps, type IngestOutcome } from "./ingest.ts";
export type { IngestBatch, PreparedEvent } from "./prepare.ts";
export { ingestSettings } from "./settings.ts";
