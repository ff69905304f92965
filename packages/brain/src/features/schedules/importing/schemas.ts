import { type Static, Type } from "typebox";
import { JsonObject, Line, Nullable, OneOf, ValidatedLater } from "../../../platform/http/schemas.ts";
import { ScheduleCreate, SchedulePublic } from "../schemas.ts";

export const maxImported = 2000;

export const ImportBody = Type.Object(
  {
    schedules: Type.Array(ValidatedLater(ScheduleCreate), {
      maxItems: maxImported,
      description:
        "schedules, checked one by one; `catch_up` defaults to skip and `source` to imported. `is_enabled` and the limits of existing ones stay as they are when absent",
    }),
    mode: OneOf(["upsert", "replace_for_source"], {
      description:
        "upsert: creates and changes schedules by name. replace_for_source: also deletes the schedules of `source_filter` that are not in the list",
    }),
    source_filter: Type.Optional(
      Nullable(Line(64), "source whose other schedules are deleted; only for replace_for_source"),
    ),
  },
  { title: "ScheduleImport", additionalProperties: false },
);
export type ImportBody = Static<typeof ImportBody>;

const count = (description: string) => Type.Integer({ description });
const errors = Type.Unsafe<Record<string, string>>({
  ...JsonObject,
  description: "why entries are refused, by their place in the list from 0",
});

const counts = {
  inserted: count("created schedules"),
  updated: count("changed schedules"),
  unchanged: count("schedules that already are as given"),
  failed: count("refused entries"),
  deleted: count("deleted schedules"),
};

export const ImportReply = Type.Object(
  { ...counts, errors },
  { title: "ScheduleImportReport", description: "What an import did." },
);
export type ImportReply = Static<typeof ImportReply>;

const Difference = Type.Object(
  {
    name: Type.String({ description: "name of the schedule" }),
    scheduler: Type.String({ description: "who fires it" }),
    proposed: Type.Optional(Type.Unsafe<SchedulePublic>(SchedulePublic)),
    current: Type.Optional(Type.Unsafe<SchedulePublic>(SchedulePublic)),
  },
  {
    title: "ScheduleDifference",
    description: "A schedule as it would be, and as it is. Very large ones are left out.",
  },
);
export type Difference = Static<typeof Difference>;

const list = (description: string) => Type.Array(Difference, { description });

export const DiffReply = Type.Object(
  {
    inserted: list("schedules that would be created"),
    updated: list("schedules that would be changed"),
    unchanged: list("schedules that already are as given, by name only"),
    deleted: list("schedules that would be deleted"),
    summary: Type.Object(counts, { title: "ScheduleImportSummary", description: "The same as numbers." }),
    errors,
  },
  { title: "ScheduleDiff", description: "What an import would do." },
);
export type DiffReply = Static<typeof DiffReply>;
