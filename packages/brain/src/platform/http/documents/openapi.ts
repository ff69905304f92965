/** The OpenAPI 3.1 document of everything under /api/v1, printed from the routes' own schemas and policies (5.1 rule 10). */
import { createHash } from "node:crypto";
import swagger from "@fastify/swagger";
import type { FastifyRequest } from "fastify";
import type { RoutePolicy } from "../access/policy.ts";
import { type KeyAccess, scopeFor } from "../access/route-rules.ts";
import type { App } from "../app.ts";
import { ErrorBody, instantFormat } from "../schemas.ts";
import { docsPage, docsScript, docsStyle } from "./docs-page.ts";

export interface OpenApiOptions {
  /** public: anybody; private: any session or key; disabled: no route (404). */
  visibility: "public" | "private" | "disabled";
  version: string;
  /** Name of the session cookie, for the document's security scheme. */
  sessionCookie: string;
  /** Told of each reading of the document, for the audit row openapi.schema_accessed. */
  onRead?: (request: FastifyRequest) => void | Promise<void>;
}

const base = "/api/v1";

/** Must come before any route that the document should hold. */
export async function collectOpenApi(
  app: App,
  options: Pick<OpenApiOptions, "version" | "sessionCookie">,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "svc", version: options.version, description: "Monitors and controls background-task engines." },
      servers: [{ url: "/" }],
      components: {
        securitySchemes: {
          session: { type: "apiKey", in: "cookie", name: options.sessionCookie },
          apiKey: { type: "http", scheme: "bearer" },
          agentToken: { type: "http", scheme: "bearer" },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const policy = route.config as unknown as RoutePolicy;
      const keys = app.routeRegister.keyAccess(policy.tag);
      const method = Array.isArray(route.method) ? route.method[0]! : route.method;
      const described = {
        ...schema,
        tags: [policy.tag],
        hide: policy.hidden === true || !url.startsWith(`${base}/`),
        operationId: schema?.operationId ?? operationIdOf(method, url),
        security: securityOf(policy, keys),
        ...needsOf(policy, keys, method),
      };
      return { schema: described, url };
    },
  });
}

/** The routes that show the document and its page. */
export function serveOpenApi(app: App, options: OpenApiOptions): void {
  if (options.visibility === "disabled") return;
  const open = options.visibility === "public" ? ({ public: true } as const) : {};
  let printed: { text: string; etag: string } | null = null;

  app.get(
    `${base}/openapi.json`,
    { config: { tag: "openapi", bucket: "openapi", hidden: true, ...open } },
    async (request, reply) => {
      printed ??= print(app);
      await options.onRead?.(request);
      reply.header("etag", printed.etag).header("cache-control", "private, no-cache");
      if (request.headers["if-none-match"] === printed.etag) return reply.code(304).send();
      return reply.type("application/json; charset=utf-8").send(printed.text);
    },
  );
  app.get(`${base}/docs`, { config: { tag: "openapi", bucket: "openapi", hidden: true, ...open } }, (_request, reply) =>
    reply.type("text/html; charset=utf-8").send(docsPage),
  );
  // Not in the bucket: two fixed texts, of which every opening of the page needs both.
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
export function openApiDocument(app: App): Record<string, unknown> {
  const document = withPlainFormats(app.swagger()) as unknown as OpenApiDocument;
  document.components.schemas = { ...document.components.schemas, Error: structuredClone(ErrorBody) };
  const failure = {
    description: "Any refusal or failure.",
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path)) {
      operation.responses = { ...operation.responses, default: failure };
    }
  }
  return document as unknown as Record<string, unknown>;
}

interface OpenApiDocument {
  components: { schemas?: Record<string, unknown> };
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
}

function print(app: App): { text: string; etag: string } {
  const text = JSON.stringify(openApiDocument(app));
  return { text, etag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"` };
}

function securityOf(policy: RoutePolicy, access: KeyAccess): Record<string, string[]>[] {
  if (access.kind === "agent") return [{ agentToken: [] }];
  if (policy.public === true) return [];
  if (policy.public === "session-optional") return [{}, { session: [] }];
  const keyToo = (access.kind === "scope" || access.kind === "any_key") && policy.sessionOnly !== true;
  return keyToo ? [{ session: [] }, { apiKey: [] }] : [{ session: [] }];
}

/** What a caller needs, for readers of the document. */
function needsOf(policy: RoutePolicy, keys: KeyAccess, method: string): Record<string, unknown> {
  const role = policy.globalAdmin === true ? "global admin" : policy.auditRole === true ? "auditor" : policy.role;
  const scope = policy.sessionOnly === true ? null : scopeFor(keys, method);
  return {
    ...(role === undefined ? {} : { "x-svc-role": role }),
    ...(scope === null ? {} : { "x-svc-scope": scope }),
    ...(policy.freshMfa === true ? { "x-svc-fresh-mfa": true } : {}),
    ...(policy.stepUp === true ? { "x-svc-step-up": true } : {}),
    ...(policy.bucket === undefined ? {} : { "x-svc-bucket": policy.bucket }),
  };
}

/** `GET /api/v1/projects/:slug/tasks` is `getProjectsBySlugTasks`. */
function operationIdOf(method: string, url: string): string {
  const words = url
    .slice(base.length)
    .split(/[/_.-]+/)
    .filter((word) => word !== "")
    .map((word) => (word.startsWith(":") ? `By${capital(word.slice(1))}` : capital(word)));
  return method.toLowerCase() + words.join("");
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** A copy in which our own name for request instants reads `date-time`, which other tools know. */
function withPlainFormats(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPlainFormats);
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    copy[name] = name === "format" && inner === instantFormat ? "date-time" : withPlainFormats(inner);
  }
  return copy;
}
