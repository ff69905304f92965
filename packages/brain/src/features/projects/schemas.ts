import { type Static, Type } from "typebox";
import { Described, Instant, JsonObject, Line, Nullable, Prose, TimeZone, Uuid } from "../../platform/http/schemas.ts";

const SchedulerName = Line(64);

export const Project = Type.Object(
  {
    id: Described(Uuid, "id of the project"),
    slug: Type.String({ description: "its name in URLs; unique" }),
    name: Type.String({ description: "name shown to people" }),
    description: Nullable(Type.String(), "what it is for; null without one"),
    environment: Type.String({ description: "such as production or staging" }),
    timezone: Type.String({ description: "IANA time zone" }),
    is_active: Type.Boolean({ description: "false when it is archived" }),
    automation_enabled: Type.Boolean({ description: "false stops all automation rules of the project" }),
    automation_revision: Type.Integer({ description: "grows with each change of automation_enabled" }),
    default_scheduler_owner: Type.String({ description: "scheduler that runs schedules which name none" }),
    allowed_schedulers: Nullable(Type.Array(Type.String()), "schedulers that schedules may name; null allows any"),
    settings: Nullable(JsonObject, "free-form settings; null without any"),
    organization_id: Nullable(Uuid, "reserved; null"),
    created_at: Described(Instant, "when it was created"),
    updated_at: Described(Instant, "when it last changed"),
  },
  { title: "Project", description: "A project: the scope of agents, tasks, members and settings." },
);
export type Project = Static<typeof Project>;

export const ProjectList = Type.Array(Project, { description: "Projects that the caller sees." });

export const ListQuery = Type.Object({
  include_archived: Type.Boolean({ default: false, description: "list archived projects too" }),
});

const described = {
  description: Type.Optional(Nullable(Prose(2000), "what it is for; null removes it")),
  environment: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      pattern: "^[A-Za-z0-9_.-]+$",
      description: "such as staging; a new project has production unless given",
    }),
  ),
  timezone: Type.Optional(Described(TimeZone, "IANA time zone; a new project has UTC unless given")),
  default_scheduler_owner: Type.Optional(
    Described(SchedulerName, "scheduler that runs schedules which name none; one of allowed_schedulers"),
  ),
  allowed_schedulers: Type.Optional(
    Nullable(
      Type.Array(SchedulerName, { maxItems: 32 }),
      "schedulers that schedules may name; null allows any, an empty list is refused",
    ),
  ),
  settings: Type.Optional(Nullable(JsonObject, "free-form settings; null removes them")),
};

/** A slug that breaks the pattern is a conflict, not a 422, so it is judged by rules.ts. */
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
    // Archiving asks for a fresh second factor, which is a matter of the route; so it has one of its own.
    is_active: Type.Optional(Type.Literal(true, { description: "restores an archived project; DELETE archives" })),
    ...described,
  },
  { title: "ProjectChanges" },
);
export type UpdateBody = Static<typeof UpdateBody>;
