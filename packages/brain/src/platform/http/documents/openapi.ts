/** The OpenAPI 3.1 document of everything under /api/v1, generated from the schemas and policies of the routes. */
import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { App } from "../app.ts";
import { base, buildDocument, type DocumentOptions, type OpenApiDocument } from "./document.ts";
import { docsPage } from "./page/page.ts";
import { docsScript } from "./page/script.ts";
import { docsStyle } from "./page/style.ts";

export interface OpenApiOptions extends DocumentOptions {
  /** public: anyone; private: any session or key; disabled: no route (404). */
  visibility: "public" | "private" | "disabled";
  /** Called for each read of the document, for the audit row openapi.schema_accessed. */
  onRead?: (request: FastifyRequest) => void | Promise<void>;
}

declare module "fastify" {
  interface FastifyInstance {
    /** Absent where nothing is documented. */
    openApi: () => OpenApiDocument;
  }
}

/** The routes that show the document and its page. */
export function serveOpenApi(app: App, options: OpenApiOptions): void {
  app.decorate("openApi", () => buildDocument(app.routeRegister.rows(), options));
  if (options.visibility === "disabled") return;
  const open = options.visibility === "public" ? ({ public: true } as const) : {};
  let printed: { text: string; etag: string } | null = null;

  app.get(
    `${base}/openapi.json`,
    { config: { tag: "openapi", bucket: "openapi", hidden: true, ...open } },
    async (request, reply) => {
      printed ??= print(app.openApi());
      await options.onRead?.(request);
      reply.header("etag", printed.etag).header("cache-control", "private, no-cache");
      if (request.headers["if-none-match"] === printed.etag) return reply.code(304).send();
      return reply.type("application/json; charset=utf-8").send(printed.text);
    },
  );
  app.get(`${base}/docs`, { config: { tag: "openapi", bucket: "openapi", hidden: true, ...open } }, (_request, reply) =>
    reply.type("text/html; charset=utf-8").send(docsPage),
  );
  // Not rate limited: two fixed texts that every opening of the page loads.
  for (const [name, type, text] of [
    ["docs.js", "text/javascript", docsScript],
    ["docs.css", "text/css", docsStyle],
  ] as const) {
    app.get(`${base}/docs/${name}`, { config: { tag: "openapi", hidden: true, ...open } }, (_request, reply) =>
      reply.type(`${type}; charset=utf-8`).send(text),
    );
  }
}

/** The document of a ready app, for the client generator and the tests. */
export const openApiDocument = (app: App): OpenApiDocument => app.openApi();

function print(document: OpenApiDocument): { text: string; etag: string } {
  const text = JSON.stringify(document);
  return { text, etag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"` };
}
