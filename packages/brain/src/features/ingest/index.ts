export { createIngest, type Ingest, type IngestDeps, type IngestOutcome } from "./ingest.ts";
export type { IngestBatch } from "./prepare.ts";
export { redactorOf } from "./redaction.ts";
export { checkRedactionPatterns, ingestSettings } from "./settings.ts";
