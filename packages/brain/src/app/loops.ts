import { offerWaiting } from "../features/agent-transport/index.ts";
import { pruneSamples, sweepOfflineAgents, sweepStaleAgents } from "../features/agents/index.ts";
import { createRetentionMetrics, createVerifierMetrics, pruneAudit, verifyAudit } from "../features/audit/index.ts";
import { moveBulkRetries, pruneBulkRetries } from "../features/bulk-retries/index.ts";
import { expireCommands, pruneCommands } from "../features/commands/index.ts";
import { pruneEvents } from "../features/events/index.ts";
import { probeWrites, watchClock } from "../features/health/index.ts";
import { pruneInvitations } from "../features/invitations/index.ts";
import { pruneTrustedDevices } from "../features/mfa/index.ts";
import { prunePasswordResets } from "../features/password-reset/index.ts";
import { pruneQueueDepths, pruneQueues } from "../features/queues/index.ts";
import { sweepStaleTasks } from "../features/reconciliation/index.ts";
import { pruneSecurityHistory } from "../features/security-history/index.ts";
import { pruneSessions } from "../features/sessions/index.ts";
import { pruneSetupTokens } from "../features/setup/index.ts";
import { compactRollups, foldCounters, pruneRollups } from "../features/stats/index.ts";
import { indexTaskIds, pruneTasks } from "../features/tasks/index.ts";
import { pruneWorkers, sweepSilentWorkers } from "../features/workers/index.ts";
import { checkpointLog } from "../platform/database/checkpoint.ts";
import { type BoundLoop, bindLoop } from "../platform/loop.ts";
import type { BrainDeps, Features } from "./features.ts";
import type { Transport } from "./transport.ts";

/** Every background loop of the brain. Those that remove rows by their age rest while the system clock is in doubt. */
export function brainLoops(deps: BrainDeps, features: Features, transport: Transport): BoundLoop[] {
  const { clock, database, log, metrics, settings } = deps;
  const { agents, audit, bulkRetries, commands, mfa, sessions, workers } = features;
  const checkpointPages = metrics.gauge({
    name: "svc_wal_checkpoint_pages_last",
    help: "pages in the embedded database's log at its last checkpoint",
  });
  const loops = [
    bindLoop(probeWrites, { writeProbe: features.writeProbe }),
    bindLoop(watchClock, { database, clock, retention: features.retention }),
    bindLoop(sweepOfflineAgents, { agents, settings }),
    bindLoop(sweepStaleAgents, { agents, settings }),
    bindLoop(sweepSilentWorkers, { workers, settings }),
    bindLoop(pruneSessions, { sessions }),
    bindLoop(pruneTrustedDevices, { mfa }),
    bindLoop(pruneSamples, { database, clock, settings }),
    bindLoop(pruneEvents, { database, clock, settings }),
    bindLoop(pruneTasks, { database, clock, settings }),
    bindLoop(pruneQueues, { database, clock, settings }),
    bindLoop(pruneQueueDepths, { database, clock }),
    bindLoop(pruneWorkers, { database, clock, settings }),
    bindLoop(pruneSetupTokens, { database, clock }),
    bindLoop(prunePasswordResets, { database, clock }),
    bindLoop(pruneInvitations, { database, clock, settings }),
    bindLoop(pruneSecurityHistory, { history: features.securityHistory, database, clock, settings }),
    bindLoop(expireCommands, { commands, settings }),
    bindLoop(offerWaiting, { transport, settings }),
    bindLoop(moveBulkRetries, { bulkRetries, settings }),
    bindLoop(pruneBulkRetries, { database, clock, settings }),
    bindLoop(sweepStaleTasks, { reconciliation: features.reconciliation, settings }),
    bindLoop(pruneCommands, { database, clock, settings }),
    bindLoop(pruneAudit, { audit, clock, settings, metrics: createRetentionMetrics(metrics) }),
    ...(settings.SVC_AUDIT_CHAIN_VERIFY_ENABLED
      ? [bindLoop(verifyAudit, { audit, settings, log, metrics: createVerifierMetrics(metrics) })]
      : []),
    bindLoop(foldCounters, { database, clock }),
    bindLoop(compactRollups, { database, clock }),
    bindLoop(pruneRollups, { database, clock, settings }),
    bindLoop(indexTaskIds, { database }),
    bindLoop(checkpointLog, { database, settings, checkpointed: (pages) => checkpointPages.set(pages) }),
  ];
  return loops.map((loop) => features.retention.guard(loop));
}
