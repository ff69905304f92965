import { isJsonObject, isUuid } from "@svc/protocol";
import type { FastifyRequest } from "fastify";
import { isMasked, type Masking, type NameKind, type Resolver, withNames } from "../../features/masking/index.ts";
import type { App } from "../../platform/http/app.ts";

/** Tags of routes outside a project that show tasks, queues or workers. */
const tagsWithNames: ReadonlySet<string> = new Set(["home", "activity"]);

/**
 * Masks names in every response about projects, and accepts masked names and row ids in requests. Streams are masked where they are
 * created. Errors are not masked: they repeat at most the request, and text from agents is already redacted. Call it before routes are
 * mounted.
 */
export function maskNames(app: App, { masking, resolver }: { masking: Masking; resolver: Resolver }): void {
  app.addHook("preSerialization", (request, _reply, payload, done) => {
    done(null, showsNames(request) ? masking.answer(payload) : payload);
  });
  app.addHook("preHandler", async (request) => {
    if (request.projectAccess === null) return;
    const at = { projectId: request.projectAccess.id, resolver };
    const { params, query, body } = request as { params: unknown; query: unknown; body: unknown };
    const isOfQueues = tagOf(request) === "queues";
    if (isJsonObject(params)) await resolveMembers(at, params, isOfQueues ? queueMembers : pathMembers);
    if (isJsonObject(query)) {
      if (takesQuery(request)) await resolveListFilters(at, query);
      else await resolveMembers(at, query, isOfQueues ? queueMembers : queryMembers);
    }
    if (isJsonObject(body)) {
      await resolveMembers(at, body, bodyMembers);
      if (isJsonObject(body.filter)) await resolveMembers(at, body.filter, filterMembers);
    }
  });
}

const tagOf = ({ routeOptions }: FastifyRequest): string | undefined => routeOptions.config?.tag;

const showsNames = (request: FastifyRequest): boolean =>
  request.projectAccess !== null || tagsWithNames.has(tagOf(request) ?? "");

/** Whether a route belongs to the task list, whose parameters are combined with a query. */
const takesQuery = ({ routeOptions }: FastifyRequest): boolean => {
  const { properties } = (routeOptions.schema?.querystring ?? {}) as { properties?: object };
  return properties !== undefined && "q" in properties;
};

interface At {
  readonly projectId: string;
  readonly resolver: Resolver;
}

type Kind = NameKind | "task";

/** The kind of name by member. In bodies `name` is that of an agent or a saved view. */
const pathMembers: Readonly<Record<string, Kind>> = { task_id: "task" };
const queueMembers: Readonly<Record<string, Kind>> = { name: "queue" };
const queryMembers: Readonly<Record<string, Kind>> = {
  name: "name",
  queue: "queue",
  worker: "worker",
  task_id: "task",
};
const filterMembers: Readonly<Record<string, Kind>> = { name: "name", queue: "queue", task_ids: "task" };
const bodyMembers: Readonly<Record<string, Kind>> = {
  queue: "queue",
  worker_name: "worker",
  task_name: "name",
  task_id: "task",
  filter_name: "name",
  filter_queue: "queue",
  filter_worker: "worker",
};

/** Several names with the same mask become one term of the query that matches all of them. */
async function resolveListFilters({ projectId, resolver }: At, query: Record<string, unknown>): Promise<void> {
  if (typeof query.q === "string" && isMasked(query.q)) query.q = await resolver.query(projectId, query.q);
  for (const kind of ["name", "queue", "worker"] as const satisfies readonly NameKind[]) {
    const shown = query[kind];
    if (typeof shown !== "string" || !isMasked(shown)) continue;
    const names = await resolver.namesShownAs(projectId, kind, shown);
    query[kind] = names.length > 1 ? undefined : (names[0] ?? shown);
    if (names.length > 1) query.q = withNames(textOrNull(query.q) ?? "", kind, names);
  }
}

async function resolveMembers(
  at: At,
  holder: Record<string, unknown>,
  members: Readonly<Record<string, Kind>>,
): Promise<void> {
  for (const [member, kind] of Object.entries(members)) {
    if (holder[member] !== undefined) await resolveMember(at, holder, member, kind);
  }
}

async function resolveMember(
  { projectId, resolver }: At,
  holder: Record<string, unknown>,
  member: string,
  kind: Kind,
): Promise<void> {
  const value = holder[member];
  if (kind === "task") {
    const ids = (Array.isArray(value) ? value : [value]).filter((id) => typeof id === "string");
    if (!ids.some((id) => isUuid(id) || isMasked(id))) return;
    const engineIds = await resolver.taskIds(projectId, textOrNull(holder.engine), ids);
    holder[member] = Array.isArray(value) ? engineIds : engineIds[0];
  } else if (typeof value === "string" && isMasked(value)) {
    holder[member] = await resolver.nameShownAs(projectId, kind, value, textOrNull(holder.engine));
  }
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
