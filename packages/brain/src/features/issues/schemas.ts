import { type Static, Type } from "typebox";
import { Described, Instant, NextCursor, Nullable, OneOf, timeRange } from "../../platform/http/schemas.ts";

const status = OneOf(["ongoing", "recovered"]);
type IssueStatus = Static<typeof status>;
const sort = OneOf(["last_seen", "occurrences"]);
type IssueSort = Static<typeof sort>;

export const IssueQuery = Type.Object({
  engine: Type.Optional(Type.String({ maxLength: 40, description: "only failures of this engine" })),
  status: Type.Optional(
    Type.Unsafe<IssueStatus>({
      ...status,
      description: "ongoing: open_count is above 0; recovered: it is 0",
    }),
  ),
  fingerprint: Type.Optional(Type.String({ pattern: "^[0-9a-f]{32}$", description: "only this issue" })),
  hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 8760,
      description: "only failures of the last hours; overridden by since and until",
    }),
  ),
  ...timeRange,
  sort: Type.Optional(
    Type.Unsafe<IssueSort>({
      ...sort,
      description:
        "last_seen (default): most recent failure first. occurrences: most frequent first, on one page without a cursor",
    }),
  ),
  trend: Type.Optional(
    Type.Boolean({ description: "adds failures in 24 equal intervals of the range, by default the last 24 h" }),
  ),
  cursor: Type.Optional(Type.String({ description: "next_cursor of the previous page" })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "default 50" })),
});
export type IssueQuery = Static<typeof IssueQuery>;

export const IssuePage = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          fingerprint: Type.String({ description: "32 hex digits, shared by similar failures" }),
          error_class: Nullable(
            Type.String(),
            "error class of the newest failure, such as TypeError; null when unknown",
          ),
          template: Nullable(
            Type.String({
              description:
                "first line of the newest failure's message with its values replaced by placeholders such as <n>; at most 500 characters",
            }),
          ),
          status: Described(status, "ongoing: open_count is above 0; recovered: it is 0"),
          occurrences: Type.Integer({ description: "tasks whose last failure is of this issue and in the range" }),
          open_count: Type.Integer({ description: "those that are in state failure now" }),
          recovered_count: Type.Integer({ description: "those that are in another state now" }),
          is_capped: Type.Boolean({
            description:
              "there are more: only the newest 1000 to 10 000 tasks were counted, fewer when the page has more issues",
          }),
          first_seen: Type.Union([Instant], { description: "first retained failure, even before the range" }),
          last_seen: Described(Instant, "newest failure in the range"),
          engine_count: Type.Integer({ description: "number of engines" }),
          engines: Type.Array(Type.String(), { description: "engines whose tasks failed this way" }),
          sample_exception: Nullable(
            Type.String({ description: "exception of the newest failure; first 2000 characters" }),
          ),
          sample_task_name: Nullable(Type.String(), "task name of the newest failure; null when unknown"),
          trend: Type.Optional(
            Type.Array(Type.Integer(), {
              description: "failures in each of 24 equal intervals of the range; only when requested",
            }),
          ),
        },
        { title: "Issue", description: "A group of similar failures." },
      ),
    ),
    next_cursor: NextCursor,
    is_exact: Type.Boolean({
      description:
        "false when the order by occurrences may miss an issue: it counts the newest 50 000 failures of the range, and with a status checks the 200 most frequent issues",
    }),
  },
  { title: "IssuePage", description: "One page of issues." },
);
