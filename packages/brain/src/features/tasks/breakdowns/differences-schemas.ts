import { type Static, Type } from "typebox";
import { InstantText } from "../../../platform/http/schemas.ts";

export const DifferencesQuery = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: "exact task name; or fingerprint" })),
  fingerprint: Type.Optional(Type.String({ pattern: "^[0-9a-f]{32}$", description: "of failures; or name" })),
  since: Type.Optional(InstantText),
  until: Type.Optional(InstantText),
});
export type DifferencesQuery = Static<typeof DifferencesQuery>;

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

export const Differences = Type.Object({
  failed: Type.Integer({ description: "failed tasks that were compared, 2000 at most" }),
  passed: Type.Integer({ description: "passed tasks of the same name that were compared, 2000 at most" }),
  sampled: Type.Boolean({
    description: "whether there are more of either; then they are spread over the range as all of them are",
  }),
  attributes: Type.Array(
    Type.Object({
      field: Type.String({
        description: "worker, queue, priority, release, hour (of received_at, UTC), args.… or kwargs.…",
      }),
      value: Type.String(),
      failed_share: share("of the failed tasks that have it"),
      passed_share: share("of the passed tasks that have it"),
    }),
    {
      description:
        "shares that differ by 20 points, of at least 5 failed tasks; the greatest difference first, 10 at most",
    },
  ),
});
