import { operation, type Routes } from "../../../platform/http/app.ts";
import { originOf } from "../../audit/index.ts";
import type { Schedules } from "../schedules.ts";
import { DiffReply, ImportBody, ImportReply } from "./schemas.ts";

const tag = "schedules";

/** The paths end in `:import` and `:diff`; a doubled colon is a literal one. */
export const scheduleImportRoutes: Routes<{ schedules: Schedules }> = (app, { schedules }) => {
  operation(app, "POST /projects/:slug/schedules::import", {
    operationId: "importSchedules",
    summary: "Import schedules",
    description:
      "Creates and changes schedules by name, in one transaction. Entries are checked one by one: those that are refused are reported in `errors` and leave the others. A schedule with the same `source_hash`, or else the same definition, is unchanged.",
    answers: { 409: "Other requests create schedules with the same names (`name_in_use`)." },
    body: ImportBody,
    response: { 200: ImportReply },
    policy: { tag, role: "admin", keepsNumbers: true },
    handler: (request) => schedules.import(request.body, { projectId: request.project.id, origin: originOf(request) }),
  });

  operation(app, "POST /projects/:slug/schedules::diff", {
    operationId: "diffSchedules",
    summary: "Compare schedules with an import",
    description: "Returns what an import with the same body would do, and changes nothing.",
    body: ImportBody,
    response: { 200: DiffReply },
    policy: { tag, role: "admin", keepsNumbers: true },
    handler: ({ body, project }) => schedules.diff(body, project.id),
  });
};
