import { Type } from "typebox";
import { Described, Instant, JsonObject, OneOf, ProjectParams, TaskState } from "../../platform/http/schemas.ts";
import { causeCodes } from "./causes.ts";

export const ExplainParams = Type.Object({
  ...ProjectParams.properties,
  engine: Type.String({ description: "name of the engine", examples: ["bullmq"] }),
  task_id: Type.String({ description: "id that the engine gave the task", examples: ["emails:42"] }),
});

export const TaskExplanation = Type.Object(
  {
    state: TaskState,
    causes: Type.Array(
      Type.Object(
        {
          code: OneOf(causeCodes, { title: "TaskCauseCode", description: "kind of the cause; decide by this" }),
          message: Type.String({ description: "one or two sentences; which ones may change from version to version" }),
          evidence: Type.Unsafe<Readonly<Record<string, unknown>>>({
            ...JsonObject,
            description: "what is known, by members of each code",
          }),
          since: Type.Optional(Described(Instant, "since when it holds; absent when unknown")),
        },
        { title: "TaskCause", description: "One cause with its evidence." },
      ),
      { minItems: 1, description: "the most likely first" },
    ),
  },
  { title: "TaskExplanation", description: "The likely causes why a task is not running." },
);
