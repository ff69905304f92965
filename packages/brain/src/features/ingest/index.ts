export { createIngest, type Ingest, type IngestDeps, type IngestOutcome } from "./ingest.ts";
export type { IngestBatch } from "./prepare-batch.ts";
export { checkRedactionPatterns, ingestSettings, redactorOf } from "./settings.ts";
