import { readRange } from "../../address/range-text.ts";

type Raw = Readonly<Record<string, unknown>>;

/** What the address of a project's audit page may say. Everything else in it is dropped. */
export interface AuditSearch {
  /** Beginning of the action. */
  action?: string;
  outcome?: string;
  /** Id of who acted. */
  user?: string;
  /** Id of what was acted on. */
  target?: string;
  since?: string;
  until?: string;
}

export interface ActivitySearch {
  action?: string;
  /** Slug of one project. */
  project?: string;
}

/** As long as the API takes them. */
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
