import { createStateMachine, type MoveOf } from "../../platform/state-machine.ts";

/** Statuses of a command and every allowed move. */
export const commandStatuses = ["pending", "dispatched", "completed", "failed", "timeout", "cancelled"] as const;
export type CommandStatus = (typeof commandStatuses)[number];

export const commandMoves = {
  pending: {
    claim: "dispatched",
    agent_revoked: "cancelled",
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

/** The table as a state machine, for stores. */
export const commandMachine = createStateMachine(commandMoves);
export type CommandMove = MoveOf<typeof commandMoves>;
