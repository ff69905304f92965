import { clientCalls } from "./client-calls.ts";
import { type ApiDocument, clientTypes } from "./client-types.ts";

/** A document generated from the code. */
export interface GeneratedDocument {
  /** From the repository root. */
  readonly path: string;
  /** The complete text, ending in a newline; it must be deterministic. */
  generate(): string | Promise<string>;
}

/**
 * All generated documents. Generators are next to the code that they document, and their package exports them. They run from the sources,
 * so a check never uses a stale build.
 */
export const generatedDocuments: readonly GeneratedDocument[] = [
  { path: "packages/brain/ROUTES.md", generate: async () => (await brain()).routesDocument() },
  { path: "packages/client/openapi.json", generate: async () => (await brain()).openApiText() },
  { path: "packages/client/src/types/api.generated.ts", generate: async () => clientTypes(await apiDocument()) },
  { path: "packages/client/src/types/calls.generated.ts", generate: async () => clientCalls(await apiDocument()) },
  { path: "docs/reference/configuration.md", generate: async () => (await brain()).configurationDocument() },
  {
    path: "docs/reference/scheduler-settings.md",
    generate: async () => (await import("@svc/cli/docs")).schedulerSettingsDocument(),
  },
  { path: "docs/internals/schema.md", generate: async () => (await brain()).schemaDocument() },
  { path: "docs/reference/cli.md", generate: async () => (await import("@svc/cli/docs")).cliDocument() },
  { path: "docs/internals/states/command.md", generate: async () => (await brain()).commandStatesDocument() },
  { path: "docs/internals/states/schedule-fire.md", generate: async () => (await brain()).fireStatesDocument() },
  { path: "docs/internals/states/bulk-retry.md", generate: async () => (await brain()).bulkRetryStatesDocument() },
  {
    path: "docs/reference/scheduler-contract.md",
    generate: async () => (await import("@svc/protocol/docs")).schedulerContractDocument(),
  },
];

const brain = () => import("@svc/brain/docs");
const apiDocument = async (): Promise<ApiDocument> => JSON.parse(await (await brain()).openApiText());
