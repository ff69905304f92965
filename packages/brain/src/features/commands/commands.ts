import type { Redactor } from "@svc/protocol";
import type { Tx } from "../../platform/database/database.ts";
import type { Metrics } from "../../platform/metrics.ts";
import type { CommandRow, Tables } from "../../schema/tables/index.ts";
import type { Audit } from "../audit/index.ts";
import type { ProjectLabels } from "../projects/index.ts";
import { type ChildSource, type CommandDeps, createClaim } from "./delivery/claim.ts";
import { createDelivery } from "./delivery/delivery.ts";
import { createMoveHandlers } from "./delivery/move-handlers.ts";
import { WorkSignal } from "./delivery/work-signal.ts";
import { createIssuing, type IssuedCommand } from "./issuing/issue-command.ts";
import { createCommandMetrics } from "./metrics.ts";
import { linkRetried, retryingActions } from "./results/link-retried.ts";
import { createReports } from "./results/report.ts";
import { type EndedCommand, ResultSignal } from "./results/result-signal.ts";
import { cancelPending } from "./store.ts";

interface CommandsDeps extends Omit<CommandDeps, "counted"> {
  readonly metrics: Pick<Metrics, "counter">;
  readonly labels: Pick<ProjectLabels, "of" | "whenKnown">;
  readonly audit: Pick<Audit, "refused" | "append">;
  readonly redactor: Pick<Redactor, "redact">;
  /** Interval of the re-check for all polls, in milliseconds. Default 250; set by tests. */
  readonly recheckMs?: number;
  /** Called with commands whose public row changed, for the live hub; must not throw. */
  readonly publish: (change: { projectId: string; topic: "command.changed"; ids: string[] }) => void;
}

/** Commands: issuing, claiming, waiting for work and for results, storing reports of agents. */
export function createCommands(given: CommandsDeps) {
  const { publish, audit } = given;
  const counted = createCommandMetrics(given.metrics, given.labels);
  const moves = createMoveHandlers();
  let childSource: ChildSource | null = null;
  const children = () => childSource;
  const work = new WorkSignal({ ...given, children });
  const results = new ResultSignal(given);
  const changed = ({ project_id: projectId, id }: Pick<CommandRow, "id" | "project_id">) =>
    publish({ projectId, topic: "command.changed", ids: [id] });
  const deps = {
    ...given,
    counted,
    moves,
    changed,
    children,
    ended(commands: readonly EndedCommand[]) {
      for (const command of commands) changed(command);
      results.ended(commands);
    },
  };

  const reports = createReports({ ...deps, late });
  for (const action of retryingActions) reports.onResult(action, linkRetried);

  return {
    claim: createClaim(deps),
    ...createDelivery({ ...deps, waits: (agentId) => work.announce([agentId]) }),
    reports,
    work,
    counted,
    ...createIssuing({ ...given, offer }),
    offer,
    /** Cancels unsent commands inside the caller's transaction. Call `announce` after the commit. */
    async cancel(tx: Tx<Tables>, query: Parameters<typeof cancelPending>[1]) {
      const cancelled = await cancelPending(tx, query);
      const { error, now } = query;
      await moves.run(tx, {
        move: "agent_id" in query.of ? "agent_revoked" : "project_archived",
        commands: cancelled,
        error,
        now,
      });
      return {
        count: cancelled.length,
        announce(): void {
          for (const command of cancelled) counted.moved(command, "cancelled");
          deps.ended(cancelled);
        },
      };
    },
    /** Children of a bulk retry are available: wakes eligible polls in every process. Never throws, never waits. */
    offerChildren: (): void => work.announceChildren(),
    /** Sets the source of commands that are created only when a poll takes them. */
    serveChildren(source: ChildSource): void {
      childSource = source;
    },
    awaitResult: results.awaitResult.bind(results),
    /** Calls a handler in the transaction that moves commands of an action, other than by a result of their agent. */
    onMoved: moves.on,
    onEnded: results.onEnded.bind(results),
    onReported: reports.onReported,
    async start(): Promise<void> {
      await Promise.all([work.start(), results.start()]);
    },
    async stop(): Promise<void> {
      await Promise.all([work.stop(), results.stop()]);
    },
  };

  /** Offers committed commands to their agents in every process. Never throws, never waits. */
  function offer(...commands: readonly IssuedCommand[]): void {
    for (const command of commands) {
      counted.moved(command, "pending");
      changed(command);
    }
    work.announce([...new Set(commands.flatMap(({ agent_id }) => agent_id ?? []))]);
  }

  /** At most once per command in ten minutes, so that a repeating agent does not fill the audit log. */
  function late(command: CommandRow, agentId: string, status: "completed" | "failed"): void {
    const reason =
      command.agent_id !== agentId ? "other_agent" : command.completed_at === null ? "other_delivery" : "ended";
    audit.refused(
      {
        action: "command.late_result",
        target_type: "command",
        target_id: command.id,
        project_id: command.project_id,
        result: "failed",
        metadata: { agent_id: agentId, action: command.action, status: command.status, reported: status, reason },
      },
      { scope: `command.late_result ${command.id} ${reason}`, source: agentId },
    );
  }
}

export type Commands = ReturnType<typeof createCommands>;
