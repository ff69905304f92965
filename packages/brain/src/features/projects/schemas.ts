import { type Static, Type } from "typebox";
import { Instant, JsonObject, Line, Nullable, Prose, TimeZone, Uuid } from "../../platform/http/schemas.ts";

const SchedulerName = Line(64);

export const Project = Type.Object(
  {
    id: Uuid,
    slug: Type.String(),
    name: Type.String(),
    description: Nullable(Type.String()),
    environment: Type.String(),
    timezone: Type.String(),
    is_active: Type.Boolean(),
    automation_enabled: Type.Boolean(),
    automation_revision: Type.Integer(),
    default_scheduler_owner: Type.String(),
    allowed_schedulers: Nullable(Type.Array(Type.String())),
    settings: Nullable(JsonObject),
    organization_id: Nullable(Uuid),
    created_at: Instant,
    updated_at: Instant,
  },
  { title: "Project", description: "A project: the scope of agents, tasks, members and settings." },
);
export type Project = Static<typeof Project>;

export const ProjectList = Type.Array(Project, { description: "Projects that the caller sees." });

export const ListQuery = Type.Object({
  include_archived: Type.Boolean({ default: false, description: "list archived projects too" }),
});

const described = {
  description: Type.Optional(Nullable(Prose(2000))),
  environment: Type.Optional(Type.String({ minLength: 1, maxLength: 40, pattern: "^[A-Za-z0-9_.-]+$" })),
  timezone: Type.Optional(TimeZone),
  default_scheduler_owner: Type.Optional(SchedulerName),
  allowed_schedulers: Type.Optional(Nullable(Type.Array(SchedulerName, { maxItems: 32 }))),
  settings: Type.Optional(Nullable(JsonObject)),
};

/** A slug that breaks the pattern is a conflict, not a 422, so it is judged by rules.ts. */
const Slug = Type.String({ description: "2 to 63 characters, [a-z0-9](-?[a-z0-9])*" });

export const CreateBody = Type.Object({ slug: Slug, name: Line(200), ...described }, { title: "ProjectCreate" });
export type CreateBody = Static<typeof CreateBody>;

export const UpdateBody = Type.Object(
  {
    slug: Type.Optional(Slug),
    name: Type.Optional(Line(200)),
    // Archiving asks for a fresh second factor, which is a matter of the route; so it has one of its own.
    is_active: Type.Optional(Type.Literal(true, { description: "restores an archived project; DELETE archives" })),
    ...described,
  },
  { title: "ProjectChanges" },
);
export type UpdateBody = Static<typeof UpdateBody>;
