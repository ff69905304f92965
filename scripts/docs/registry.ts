/** A document that is printed from the code. */
export interface GeneratedDocument {
  /** From the repository root. */
  readonly path: string;
  /** The whole text, ending in a newline; the same on every machine and at every time. */
  generate(): string | Promise<string>;
}

/**
 * Every document that must equal what the code prints. Generators live with what they print and are exported by their package, for
 * example `{ path: "packages/brain/ROUTES.md", generate: async () => (await import("@svc/brain/docs")).routesDocument() }`.
 */
export const generatedDocuments: readonly GeneratedDocument[] = [];
