import { priorities, taskStates } from "@svc/protocol";
import { type Static, Type } from "typebox";
import { IdOf, Instant, Nullable, OneOf, ProjectParams, Uuid } from "../../platform/http/schemas.ts";

// No stored text holds U+0000, and the server database takes none.
const text = (maxLength: number) => Type.Optional(Nullable(Type.String({ maxLength, pattern: "^[^\\u0000]*$" })));

/** Members that are absent, null or empty do not restrict, and are not kept. */
const GivenFilters = Type.Object(
  {
    state: Type.Optional(Nullable(OneOf(taskStates, { title: "TaskState" }))),
    priority: Type.Optional(
      Nullable(Type.Array(OneOf(priorities, { title: "Priority" }), { maxItems: priorities.length })),
    ),
    search: text(200),
    queue: text(200),
    name: text(500),
    worker: text(200),
    engine: text(40),
    q: text(1000),
  },
  { additionalProperties: false },
);

export const SavedViewBody = Type.Object(
  {
    name: Type.String({ maxLength: 500, description: "1 to 80 characters once trimmed" }),
    filters: GivenFilters,
  },
  { title: "SavedViewBody", additionalProperties: false },
);
export type SavedViewBody = Static<typeof SavedViewBody>;

export const SavedView = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    filters: Type.Object(
      {
        state: Type.Optional(OneOf(taskStates, { title: "TaskState" })),
        priority: Type.Optional(Type.Array(OneOf(priorities, { title: "Priority" }))),
        search: Type.Optional(Type.String()),
        queue: Type.Optional(Type.String()),
        name: Type.Optional(Type.String()),
        worker: Type.Optional(Type.String()),
        engine: Type.Optional(Type.String()),
        q: Type.Optional(Type.String()),
      },
      { title: "SavedViewFilters", description: "What the view filters by. Members that do not restrict are absent." },
    ),
    created_at: Instant,
    updated_at: Instant,
  },
  { title: "SavedView", description: "Filters of the task list under a name." },
);
export type SavedView = Static<typeof SavedView>;

export const SavedViewList = Type.Object(
  { items: Type.Array(SavedView) },
  { title: "SavedViewPage", description: "All saved views of the caller in the project." },
);

export const SavedViewParams = Type.Object({ ...ProjectParams.properties, view_id: IdOf("saved view") });
