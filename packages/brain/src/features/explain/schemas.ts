import { taskStates } from "@svc/protocol";
import { Type } from "typebox";
import { Instant, JsonObject, OneOf } from "../../platform/http/schemas.ts";
import { causeCodes } from "./causes.ts";

export const ExplainParams = Type.Object({ slug: Type.String(), engine: Type.String(), task_id: Type.String() });

export const TaskExplanation = Type.Object({
  state: OneOf(taskStates),
  causes: Type.Array(
    Type.Object({
      code: OneOf(causeCodes),
      message: Type.String({ description: "one or two sentences; which ones may change from version to version" }),
      evidence: Type.Unsafe<Readonly<Record<string, unknown>>>({
        ...JsonObject,
        description: "what is known, by members of each code",
      }),
      since: Type.Optional(Instant),
    }),
    { minItems: 1, description: "the most likely first" },
  ),
});
