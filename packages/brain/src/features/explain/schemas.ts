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
          code: OneOf(causeCodes, { title: "TaskCauseCode", description: "kind of the cause; use this in programs" }),
          message: Type.String({ description: "one or two sentences; the wording may change between versions" }),
          evidence: Type.Unsafe<Readonly<Record<string, unknown>>>({
            ...JsonObject,
            description: "supporting facts; the keys depend on the code",
          }),
          since: Type.Optional(Described(Instant, "when the cause began; absent when unknown")),
        },
        { title: "TaskCause", description: "One cause with its evidence." },
      ),
      { minItems: 1, description: "most likely first" },
    ),
  },
  { title: "TaskExplanation", description: "The likely causes why a task is not running." },
);
