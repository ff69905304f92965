import { readRange } from "../../address/range-text.ts";

type Raw = Readonly<Record<string, unknown>>;

/** The search parameters of a project's audit page. Others are dropped. */
export interface AuditSearch {
  /** Prefix of the action. */
  action?: string;
  outcome?: string;
  /** Id of the acting user. */
  user?: string;
  /** Id of the target. */
  target?: string;
  since?: string;
  until?: string;
}

export interface ActivitySearch {
  action?: string;
  /** Slug of one project. */
  project?: string;
}

/** The maximum lengths in the API. */
export const longestAction = 80;
const longestOutcome = 20;
const longestSlug = 200;
const longestTarget = 200;

const short = (value: unknown, most: number): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= most ? value : undefined;

export function readAuditSearch(raw: Raw): AuditSearch {
  const action = short(raw.action, longestAction);
  const outcome = short(raw.outcome, longestOutcome);
  const user = typeof raw.user === "string" && /^[0-9a-f-]{36}$/i.test(raw.user) ? raw.user : undefined;
  const target = short(raw.target, longestTarget);
  return {
    ...(action && { action }),
    ...(outcome && { outcome }),
    ...(user && { user }),
    ...(target && { target }),
    ...readRange(raw),
  };
}

export function readActivitySearch(raw: Raw): ActivitySearch {
  const action = short(raw.action, longestAction);
  const project = short(raw.project, longestSlug);
  return { ...(action && { action }), ...(project && { project }) };
}
