import { type Static, Type } from "typebox";
import { Instant, NextCursor, Nullable, Uuid } from "../../platform/http/schemas.ts";

/** Of `cursor` in either direction. */
export const cursorCharacters = 2048;
export const excerptCharacters = 512;

export const DeadLetterQuery = Type.Object({
  engine: Type.String({ pattern: "^[A-Za-z0-9_.-]{1,40}$", description: "as an online agent names it" }),
  queue: Type.Optional(
    Type.String({
      maxLength: 200,

      description: "absent or empty: every queue that the engine's adapter knows",
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "default 100" })),
  cursor: Type.Optional(
    Type.String({
      maxLength: cursorCharacters,
      description:
        "next_cursor of the previous page; only the agent of that page knows it, so it goes with its agent_id",
    }),
  ),
  agent_id: Type.Optional(
    Type.Unsafe<string>({ ...Uuid, description: "the agent to ask; absent: the one seen last of those that can tell" }),
  ),
});
export type DeadLetterQuery = Static<typeof DeadLetterQuery>;

const DeadLetter = Type.Object(
  {
    task_id: Type.String({ description: "id that the engine gave the task" }),
    task_name: Nullable(Type.String(), "function or job name; null when the engine does not keep it"),
    queue: Type.String({ description: "queue whose dead letter it is" }),
    failed_at: Nullable(Instant, "its last failure; null when the engine does not keep it"),
    error_excerpt: Nullable(
      Type.String({ maxLength: excerptCharacters, description: "the redacted end of the failure text" }),
    ),
    attempts: Nullable(Type.Integer(), "how often it was tried; null when the engine does not keep it"),
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
    agent_id: Type.String({ description: "the agent that was asked" }),
  },
  { title: "DeadLetterPage", description: "One page of dead letters, as the agent read them for this request." },
);
export type DeadLetterPage = Static<typeof DeadLetterPage>;
