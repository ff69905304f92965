import type { Readable } from "node:stream";
import { Type } from "typebox";
import { operation, plainSerializer, type Routes } from "../../platform/http/app.ts";
import type { PageSizes } from "../../platform/http/content/paging.ts";
import { exportAnswers } from "../../platform/http/schemas.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import type { Audit } from "./audit.ts";
import { readActivity } from "./listing/activity-feed.ts";
import { exportAudit } from "./listing/export.ts";
import { listAudit } from "./listing/list.ts";
import { originOf } from "./origin.ts";
import { ActivityFeedPage, ActivityFeedQuery, AuditPage, AuditQuery } from "./schemas.ts";

export interface AuditRouteDeps {
  readonly database: BrainDatabase;
  readonly audit: Pick<Audit, "record">;
  readonly settings: PageSizes;
  /** Rows as exports show them. */
  shown(rows: unknown): unknown;
}

/** A page, or the stream of an export; the API document describes the page. */
const PageOrExport = Type.Unsafe<AuditPage | Readable>(AuditPage);

export const auditRoutes: Routes<AuditRouteDeps> = (app, { database, audit, settings, shown }) => {
  operation(app, "GET /activity", {
    operationId: "listActivity",
    summary: "List activity",
    description: "Lists audit rows of all projects that you can audit, and your own rows, newest first.",
    querystring: ActivityFeedQuery,
    response: { 200: ActivityFeedPage },
    serializerCompiler: plainSerializer,
    policy: { tag: "activity", bucket: "activity", heavy: true },
    handler: ({ actor, query }) => readActivity(database, actor, query),
  });

  operation(app, "GET /projects/:slug/audit", {
    operationId: "listAudit",
    summary: "List or export the audit log",
    description:
      "Lists audit rows of the project, newest first. With `format` it streams every matching row as one file instead; an export above 50,000 rows (25,000 for `xlsx`) is refused, never truncated. Exports are audited.",
    answers: exportAnswers,
    querystring: AuditQuery,
    response: { 200: PageOrExport },
    serializerCompiler: plainSerializer,
    policy: { tag: "audit", auditRole: true, heavy: true },
    handler: async (request, reply) => {
      const { actor, project, query } = request;
      const showsAddress = actor.user.is_admin;
      if (query.format === undefined)
        return listAudit(database, settings, { projectId: project.id, query, showsAddress });
      const { body, fileName, mediaType } = await exportAudit(
        { database, audit, shown },
        { project, query, format: query.format, showsAddress, origin: originOf(request) },
      );
      reply.type(mediaType).header("content-disposition", `attachment; filename="${fileName}"`);
      return reply.send(body);
    },
  });
};
