/** The OpenAPI 3.1 document, built from what the routes declare. */
import type { RoutePolicy } from "../access/policy.ts";
import type { KeyAccess } from "../access/route-rules.ts";
import type { RouteRow } from "../access/route-table.ts";
import { ErrorBody } from "../schemas.ts";
import { type Components, createComponents } from "./components.ts";

/** What one status means on a route, beyond what its schema and its policy say. */
export interface AnswerNote {
  readonly description?: string;
  /** Meanings of response headers, by name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Descriptions of further content types, by type. */
  readonly content?: Readonly<Record<string, string>>;
}

declare module "fastify" {
  interface FastifySchema {
    /** Verb and noun, the same as the method of the client. */
    operationId?: string;
    /** A few words, as a heading. */
    summary?: string;
    /** What it does, in whole sentences. */
    description?: string;
    /** Meanings of the request headers that the route reads itself, by name. */
    takesHeaders?: Readonly<Record<string, string>>;
    /** By status: what it means here. A status that no schema has is an error. */
    answers?: Readonly<Record<number, string | AnswerNote>>;
  }
}

export interface Documentation {
  /** Markdown that applies to all operations. */
  readonly introduction: string;
  /** Group that an operation is shown in, by the tag of its route; a tag without an entry is a separate group. */
  readonly groups: Readonly<Record<string, string>>;
  /** Descriptions of the groups, in the order of the page. */
  readonly groupDescriptions: Readonly<Record<string, string>>;
  /** Examples of named schemas. */
  readonly examples: Readonly<Record<string, unknown>>;
}

export interface DocumentOptions extends Partial<Documentation> {
  readonly version: string;
  /** Name of the session cookie. */
  readonly sessionCookie: string;
}

export const base = "/api/v1";

export type OperationObject = Record<string, unknown>;
export interface OpenApiDocument {
  readonly components: { readonly schemas: Record<string, unknown> } & Record<string, unknown>;
  readonly paths: Record<string, Record<string, OperationObject>>;
  readonly [member: string]: unknown;
}

export function buildDocument(routes: readonly RouteRow[], options: DocumentOptions): OpenApiDocument {
  const { version, sessionCookie, introduction = "", groups = {}, groupDescriptions = {}, examples = {} } = options;
  const components = createComponents(examples);
  const errorRef = components.shown(ErrorBody);
  const paths: OpenApiDocument["paths"] = {};
  const known = new Set(routes.map((route) => route.path));
  for (const route of routes) {
    const isRoot = !route.path.startsWith(`${base}/`);
    // A route outside of the base path is listed only if it is an operation that is not also served below the base path.
    if (isRoot && (route.schema?.operationId === undefined || known.has(base + route.path))) continue;
    if (route.policy.hidden === true) continue;
    // A doubled colon is a literal one.
    const path = route.path.replaceAll(/\/:(\w+)/g, "/{$1}").replaceAll("::", ":");
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operationOf(route, groups, components, errorRef);
  }
  return {
    openapi: "3.1.0",
    info: { title: "svc", version, description: introduction },
    servers: [{ url: "/" }],
    tags: Object.entries(groupDescriptions).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components.schemas(),
      responses: Object.fromEntries(
        Object.entries(refusals).map(([name, { description, retryAfter }]) => [
          name,
          {
            description,
            headers: {
              ...everyAnswer,
              ...(retryAfter && { "Retry-After": { $ref: "#/components/headers/RetryAfter" } }),
            },
            ...errorContent(errorRef),
          },
        ]),
      ),
      headers: {
        RequestId: {
          description:
            "Finds the request in the log of the service. A request may send its own; one of another form is replaced.",
          schema: { type: "string", pattern: "^[A-Za-z0-9_-]{8,64}$" },
        },
        RetryAfter: {
          description: "Seconds to wait before the next attempt.",
          schema: { type: "integer", minimum: 0 },
        },
      },
      securitySchemes: {
        session: {
          type: "apiKey",
          in: "cookie",
          name: sessionCookie,
          description: "A signed-in browser, see the operation `login`.",
        },
        csrf: {
          type: "apiKey",
          in: "header",
          name: "X-CSRF-Token",
          description:
            "The value of the readable CSRF cookie; with a session, on every request that changes something.",
        },
        apiKey: { type: "http", scheme: "bearer", description: "An API key with the scope in `x-svc-scope`." },
        agentToken: { type: "http", scheme: "bearer", description: "The token of an agent." },
      },
    },
  };
}

const everyAnswer = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };

/** The refusals that follow from a policy alone. */
const refusals = {
  Unauthenticated: {
    description: "Not signed in, or the session, key or token is no longer valid.",
    retryAfter: false,
  },
  Forbidden: {
    description:
      "Not allowed: the role or scope is too small, the CSRF token is missing, a second factor or recent proof of identity is required, or the address is blocked. `error` says which.",
    retryAfter: false,
  },
  NotFound: { description: "It does not exist, or you may not see it.", retryAfter: false },
  Invalid: {
    description: "The request is not valid. `details.errors` lists every error and its place.",
    retryAfter: false,
  },
  RateLimited: { description: "Too many requests. Retry after the stated time.", retryAfter: true },
  Unready: {
    description:
      "The service or its database cannot answer now. Retry later, after the time in Retry-After if it is there.",
    retryAfter: true,
  },
} as const;

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Record<string, unknown>>>;
  readonly required?: readonly string[];
}

function operationOf(
  { method, policy, path, keys, scope, schema = {} }: RouteRow,
  groups: Documentation["groups"],
  components: Components,
  errorRef: Record<string, unknown>,
): OperationObject {
  const parameters = [
    ...parametersOf("path", schema.params, components),
    ...parametersOf("query", schema.querystring, components),
    ...Object.entries(schema.takesHeaders ?? {}).map(([name, description]) => ({
      name,
      in: "header",
      required: false,
      description,
      schema: { type: "string" },
    })),
  ];
  const body = bodyOf(schema.body);
  return {
    operationId: schema.operationId,
    summary: schema.summary,
    description: [schema.description, needsText(policy, keys, scope)].filter(Boolean).join("\n\n"),
    tags: [groups[policy.tag] ?? policy.tag],
    security: securityOf(policy, keys, method),
    ...needsOf(policy, scope),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== null && {
      requestBody: {
        required: body === schema.body,
        content: { "application/json": { schema: components.shown(body) } },
      },
    }),
    responses: {
      ...answersOf(schema, components, errorRef),
      ...refusalsOf(policy, keys, path, schema),
      ...ownRefusals(schema, errorRef),
    },
  };
}

/** The body schema without null, which means a request without a body; null where no body is accepted. */
function bodyOf(body: unknown): unknown {
  const { anyOf = [] } = (body ?? {}) as { anyOf?: readonly { type?: unknown }[] };
  const given = anyOf.filter(({ type }) => type !== "null");
  return (given.length < anyOf.length && given.length === 1 ? given[0] : body) ?? null;
}

function parametersOf(place: "path" | "query", schema: unknown, components: Components): Record<string, unknown>[] {
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema;
  return Object.entries(properties).map(([name, { description, ...shape }]) => ({
    name,
    in: place,
    required: place === "path" || (required.includes(name) && !("default" in shape)),
    ...(description !== undefined && { description }),
    schema: components.shown(shape),
  }));
}

type RouteSchema = NonNullable<RouteRow["schema"]>;

const asAnswerNote = (note: string | AnswerNote | undefined): AnswerNote =>
  typeof note === "string" ? { description: note } : (note ?? {});

/** The statuses that have a schema. */
function answersOf({ response, answers = {} }: RouteSchema, components: Components, errorRef: Record<string, unknown>) {
  const schemas = Object.entries((response ?? {}) as Record<string, Record<string, unknown>>);
  const entries = schemas.map(([status, schema]) => {
    const { description = schema.description, headers, content } = asAnswerNote(answers[Number(status)]);
    const isEmpty = schema.type === "null";
    const body = isEmpty ? {} : { "application/json": { schema: components.shown(schema) } };
    return [
      status,
      {
        description: description ?? (isEmpty ? "Done. The answer has no body." : undefined),
        headers: { ...everyAnswer, ...textHeaders(headers) },
        ...((!isEmpty || content !== undefined) && { content: { ...body, ...textContent(content) } }),
      },
    ];
  });
  return Object.fromEntries([
    ...entries,
    ["default", { description: "Any other refusal or failure.", headers: everyAnswer, ...errorContent(errorRef) }],
  ]);
}

const errorContent = (errorRef: Record<string, unknown>) => ({ content: { "application/json": { schema: errorRef } } });

const textHeaders = (headers: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
  );

const textContent = (content: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries(content).map(([type, description]) => [type, { schema: { type: "string", description } }]),
  );

function refusalsOf(policy: RoutePolicy, keys: KeyAccess, path: string, schema: RouteSchema): Record<string, unknown> {
  const isOpen = policy.public !== undefined;
  const takesInput = [schema.body, schema.querystring, schema.params].some((part) => part !== undefined);
  const names: readonly (readonly [status: number, name: keyof typeof refusals, applies: boolean])[] = [
    [401, "Unauthenticated", policy.public !== true],
    [403, "Forbidden", !isOpen || policy.bucket !== undefined],
    [404, "NotFound", path.includes("/:")],
    [422, "Invalid", takesInput],
    [429, "RateLimited", policy.bucket !== undefined || policy.heavy === true || keys.kind === "agent"],
    [503, "Unready", !isOpen || policy.bucket !== undefined],
  ];
  return Object.fromEntries(
    names
      .filter(([, , applies]) => applies)
      .map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
  );
}

/** The statuses that only `answers` names. */
function ownRefusals({ response, answers = {} }: RouteSchema, errorRef: Record<string, unknown>) {
  const own = Object.entries(answers).filter(([status]) => !(status in ((response ?? {}) as object)));
  return Object.fromEntries(
    own.map(([status, note]) => {
      const { description, headers } = asAnswerNote(note);
      return [status, { description, headers: { ...everyAnswer, ...textHeaders(headers) }, ...errorContent(errorRef) }];
    }),
  );
}

function securityOf(policy: RoutePolicy, access: KeyAccess, method: string): Record<string, string[]>[] {
  const session = method === "GET" ? { session: [] } : { session: [], csrf: [] };
  if (access.kind === "agent") return [{ agentToken: [] }];
  if (policy.public === true) return [];
  if (policy.public === "session-optional") return [{}, session];
  const keyToo = (access.kind === "scope" || access.kind === "any_key") && policy.sessionOnly !== true;
  return keyToo ? [session, { apiKey: [] }] : [session];
}

/** Describes what a caller needs. */
function needsText(policy: RoutePolicy, { kind }: KeyAccess, tagScope: string | null): string {
  if (kind === "agent") return "Requires an agent token.";
  if (policy.public === true) return "Requires no sign-in.";
  if (policy.public === "session-optional") return "Signing in is optional.";
  const scope = policy.sessionOnly === true ? null : tagScope;
  return [
    policy.globalAdmin === true
      ? "Requires an instance administrator."
      : policy.auditRole === true
        ? "Requires the role auditor or admin in the project."
        : policy.role !== undefined
          ? `Requires the role ${policy.role} in the project.`
          : "Requires a signed-in user.",
    scope !== null
      ? `An API key needs the scope \`${scope}\`.`
      : kind === "any_key"
        ? "Any API key works."
        : "API keys are refused.",
    ...(policy.freshMfa === true ? ["A second factor must have been verified recently."] : []),
    ...(policy.stepUp === true ? ["The session must have proved its identity recently (`stepUp`)."] : []),
  ].join(" ");
}

/** The same, as data for programs. */
function needsOf(policy: RoutePolicy, tagScope: string | null): Record<string, unknown> {
  const role =
    policy.globalAdmin === true ? "instance administrator" : policy.auditRole === true ? "auditor" : policy.role;
  const scope = policy.sessionOnly === true ? null : tagScope;
  return {
    ...(role === undefined ? {} : { "x-svc-role": role }),
    ...(scope === null ? {} : { "x-svc-scope": scope }),
    ...(policy.freshMfa === true ? { "x-svc-fresh-mfa": true } : {}),
    ...(policy.stepUp === true ? { "x-svc-step-up": true } : {}),
    ...(policy.bucket === undefined ? {} : { "x-svc-bucket": policy.bucket }),
  };
}
