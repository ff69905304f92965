import { type Static, Type } from "typebox";
import { Instant, NextCursor, Nullable, Uuid } from "../../platform/http/schemas.ts";

/** Maximum length of `cursor`, in requests and answers. */
export const cursorCharacters = 2048;
export const excerptCharacters = 512;

export const DeadLetterQuery = Type.Object({
  engine: Type.String({ pattern: "^[A-Za-z0-9_.-]{1,40}$", description: "name of the engine" }),
  queue: Type.Optional(
    Type.String({
      maxLength: 200,
      description: "name of the queue; absent or empty for every queue that the adapter knows",
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "default 100" })),
  cursor: Type.Optional(
    Type.String({
      maxLength: cursorCharacters,
      description: "next_cursor of the previous page; send the agent_id of that page with it",
    }),
  ),
  agent_id: Type.Optional(
    Type.Unsafe<string>({
      ...Uuid,
      description: "agent to load from; by default the most recently seen agent that can list dead letters",
    }),
  ),
});
export type DeadLetterQuery = Static<typeof DeadLetterQuery>;

const DeadLetter = Type.Object(
  {
    task_id: Type.String({ description: "id that the engine gave the task" }),
    task_name: Nullable(Type.String(), "function or job name; null when the engine does not keep it"),
    queue: Type.String({ description: "queue of the dead letter" }),
    failed_at: Nullable(Instant, "its last failure; null when the engine does not keep it"),
    error_excerpt: Nullable(
      Type.String({ maxLength: excerptCharacters, description: "the redacted end of the failure text" }),
    ),
    attempts: Nullable(Type.Integer(), "number of attempts; null when the engine does not keep it"),
  },
  { title: "DeadLetter", description: "A task that its engine has given up on." },
);
export type DeadLetter = Static<typeof DeadLetter>;

export const DeadLetterPage = Type.Object(
  {
    entries: Type.Array(DeadLetter, { description: "newest first; empty when the engine reports only the total" }),
    next_cursor: NextCursor,
    total: Nullable(Type.Integer(), "dead letters in all pages; null when the engine does not count them"),
    engine: Type.String({ description: "name of the engine" }),
    agent_id: Type.String({ description: "agent that returned the page" }),
  },
  { title: "DeadLetterPage", description: "One page of dead letters, as the agent read them for this request." },
);
export type DeadLetterPage = Static<typeof DeadLetterPage>;
