import { priorities } from "@svc/protocol";
import { type Static, Type } from "typebox";
import {
  Described,
  IdOf,
  Instant,
  Nullable,
  Priority,
  ProjectParams,
  TaskState,
  Uuid,
} from "../../platform/http/schemas.ts";

/** As in the parameters of the task list. */
const filterMeanings = {
  search: "literal text in the name, queue, worker or task id, case-insensitive",
  queue: "exact queue name",
  name: "literal text in the task name",
  worker: "exact worker name",
  engine: "name of the engine",
  q: "query language, see `q` of the task list",
};

// No stored text contains U+0000, and the server database does not accept it.
const text = (maxLength: number, description: string) =>
  Type.Optional(Nullable(Type.String({ maxLength, pattern: "^[^\\u0000]*$" }), description));

/** Absent, null or empty members do not filter and are not stored. */
const GivenFilters = Type.Object(
  {
    state: Type.Optional(Nullable(TaskState, "tasks in this state")),
    priority: Type.Optional(
      Nullable(Type.Array(Priority, { maxItems: priorities.length }), "tasks with one of these priorities"),
    ),
    search: text(200, filterMeanings.search),
    queue: text(200, filterMeanings.queue),
    name: text(500, filterMeanings.name),
    worker: text(200, filterMeanings.worker),
    engine: text(40, filterMeanings.engine),
    q: text(1000, filterMeanings.q),
  },
  { additionalProperties: false },
);

export const SavedViewBody = Type.Object(
  {
    name: Type.String({ maxLength: 500, description: "1 to 80 characters once trimmed" }),
    filters: Described(GivenFilters, "what the view filters by; absent, null or empty members do not filter"),
  },
  { title: "SavedViewBody", additionalProperties: false },
);
export type SavedViewBody = Static<typeof SavedViewBody>;

export const SavedView = Type.Object(
  {
    id: Described(Uuid, "id of the view"),
    name: Type.String({ description: "unique among the views of the user in the project" }),
    filters: Type.Object(
      {
        state: Type.Optional(TaskState),
        priority: Type.Optional(Type.Array(Priority, { description: "tasks with one of these priorities" })),
        search: Type.Optional(Type.String({ description: filterMeanings.search })),
        queue: Type.Optional(Type.String({ description: filterMeanings.queue })),
        name: Type.Optional(Type.String({ description: filterMeanings.name })),
        worker: Type.Optional(Type.String({ description: filterMeanings.worker })),
        engine: Type.Optional(Type.String({ description: filterMeanings.engine })),
        q: Type.Optional(Type.String({ description: filterMeanings.q })),
      },
      { title: "SavedViewFilters", description: "What the view filters by. Members that do not filter are absent." },
    ),
    created_at: Described(Instant, "when it was created"),
    updated_at: Described(Instant, "when it was last changed"),
  },
  { title: "SavedView", description: "Filters of the task list under a name." },
);
export type SavedView = Static<typeof SavedView>;

export const SavedViewList = Type.Object(
  { items: Type.Array(SavedView) },
  { title: "SavedViewPage", description: "All saved views of the caller in the project." },
);

export const SavedViewParams = Type.Object({ ...ProjectParams.properties, view_id: IdOf("saved view") });
