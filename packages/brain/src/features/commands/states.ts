import { createStateMachine, type MoveOf } from "../../platform/state-machine.ts";

/** Statuses of a command and every move it may make (spec part 3, section 4.1). */
export const commandStatuses = ["pending", "dispatched", "completed", "failed", "timeout", "cancelled"] as const;
export type CommandStatus = (typeof commandStatuses)[number];

export const commandMoves = {
  pending: {
    claim: "dispatched",
    agent_gone: "cancelled",
    project_archived: "cancelled",
    report_success: "completed",
    report_failure: "failed",
    expire: "timeout",
  },
  dispatched: {
    redeliver: "dispatched",
    send_failed: "pending",
    signing_failed: "failed",
    report_success: "completed",
    report_failure: "failed",
    expire: "timeout",
  },
  completed: {},
  failed: {},
  timeout: {},
  cancelled: {},
} as const satisfies Record<CommandStatus, Record<string, CommandStatus>>;

/** The table as stores read it. */
export const commandMachine = createStateMachine(commandMoves);
export type CommandMove = MoveOf<typeof commandMoves>;
