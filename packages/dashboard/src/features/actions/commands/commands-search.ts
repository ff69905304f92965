import { type CommandStatus, commandStatuses } from "@svc/client";
import { readRange } from "../../../address/range-text.ts";
import type { CommandFilters } from "./command-queries.ts";

type Raw = Readonly<Record<string, unknown>>;

/** The search parameters of the command list. The range is shared by all pages. */
export interface CommandsSearch {
  status?: CommandStatus;
  action?: string;
  /** Id of an agent. */
  agent?: string;
  since?: string;
  until?: string;
}

export function readCommandsSearch(raw: Raw): CommandsSearch {
  // The service ignores an unknown status, which would list all commands.
  const status = commandStatuses.find((one) => one === raw.status);
  const action = typeof raw.action === "string" && /^[a-z_.]{1,80}$/.test(raw.action) ? raw.action : undefined;
  const agent = typeof raw.agent === "string" && /^[0-9a-f-]{36}$/i.test(raw.agent) ? raw.agent : undefined;
  return { ...(status && { status }), ...(action && { action }), ...(agent && { agent }), ...readRange(raw) };
}

export const isFiltered = ({ status, action, agent }: CommandsSearch): boolean => Boolean(status || action || agent);

/** With a filter, every matching command is listed. Without one, a bulk retry replaces its commands. */
export const commandFilters = (search: CommandsSearch): CommandFilters => {
  const { status, action, agent } = search;
  if (!isFiltered(search)) return { without_bulk_retries: true };
  return { ...(status && { status }), ...(action && { action }), ...(agent && { agent_id: agent }) };
};
