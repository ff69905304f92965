import { type Static, Type } from "typebox";
import { Described, Instant, JsonObject, Line, Nullable, Prose, TimeZone, Uuid } from "../../platform/http/schemas.ts";

const SchedulerName = Line(64);

export const Project = Type.Object(
  {
    id: Described(Uuid, "id of the project"),
    slug: Type.String({ description: "unique name in URLs" }),
    name: Type.String({ description: "name shown to people" }),
    description: Nullable(Type.String(), "purpose of the project; null without one"),
    environment: Type.String({ description: "for example production or staging" }),
    timezone: Type.String({ description: "IANA time zone" }),
    is_active: Type.Boolean({ description: "false when it is archived" }),
    automation_enabled: Type.Boolean({ description: "false stops all automation rules of the project" }),
    automation_revision: Type.Integer({ description: "increases with each change of automation_enabled" }),
    default_scheduler_owner: Type.String({ description: "scheduler for schedules that name none" }),
    allowed_schedulers: Nullable(Type.Array(Type.String()), "schedulers that schedules may name; null allows any"),
    settings: Nullable(JsonObject, "free-form settings; null without any"),
    organization_id: Nullable(Uuid, "reserved; null"),
    created_at: Described(Instant, "when it was created"),
    updated_at: Described(Instant, "when it last changed"),
  },
  { title: "Project", description: "A project: the scope of agents, tasks, members and settings." },
);
export type Project = Static<typeof Project>;

export const ProjectList = Type.Array(Project, { description: "Projects visible to the caller." });

export const ListQuery = Type.Object({
  include_archived: Type.Boolean({ default: false, description: "include archived projects" }),
});

const described = {
  description: Type.Optional(Nullable(Prose(2000), "purpose of the project; null removes it")),
  environment: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      pattern: "^[A-Za-z0-9_.-]+$",
      description: "for example staging; a new project defaults to production",
    }),
  ),
  timezone: Type.Optional(Described(TimeZone, "IANA time zone; a new project defaults to UTC")),
  default_scheduler_owner: Type.Optional(
    Described(SchedulerName, "scheduler for schedules that name none; one of allowed_schedulers"),
  ),
  allowed_schedulers: Type.Optional(
    Nullable(
      Type.Array(SchedulerName, { maxItems: 32 }),
      "schedulers that schedules may name; null allows any, an empty list is refused",
    ),
  ),
  settings: Type.Optional(Nullable(JsonObject, "free-form settings; null removes them")),
};

/** A malformed slug is a conflict, not a 422, so rules.ts checks it. */
const Slug = Type.String({ description: "2 to 63 characters, [a-z0-9](-?[a-z0-9])*" });

export const CreateBody = Type.Object(
  { slug: Slug, name: Described(Line(200), "name shown to people"), ...described },
  { title: "ProjectCreate" },
);
export type CreateBody = Static<typeof CreateBody>;

export const UpdateBody = Type.Object(
  {
    slug: Type.Optional(Slug),
    name: Type.Optional(Described(Line(200), "name shown to people")),
    // Archiving requires a fresh second factor, which is a property of the route, so it has its own route.
    is_active: Type.Optional(Type.Literal(true, { description: "restores an archived project; DELETE archives" })),
    ...described,
  },
  { title: "ProjectChanges" },
);
export type UpdateBody = Static<typeof UpdateBody>;
