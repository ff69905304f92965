import { offerWaiting } from "../features/agent-transport/index.ts";
import { pruneSamples, sweepOfflineAgents, sweepStaleAgents } from "../features/agents/index.ts";
import { createRetentionMetrics, createVerifierMetrics, pruneAudit, verifyAudit } from "../features/audit/index.ts";
import { moveBulkRetries, pruneBulkRetries } from "../features/bulk-retries/index.ts";
import { expireCommands, pruneCommands } from "../features/commands/index.ts";
import { pruneEvents } from "../features/events/index.ts";
import { breakCircuits, detectMisfires, pruneFires, pruneMisfires, replayFires } from "../features/fires/index.ts";
import { probeWrites, watchClock } from "../features/health/index.ts";
import { pruneInvitations } from "../features/invitations/index.ts";
import { pruneTrustedDevices } from "../features/mfa/index.ts";
import {
  pruneOperations,
  pruneSnapshotParts,
  pruneTombstones,
  settleOperations,
} from "../features/native-schedules/index.ts";
import { prunePasswordResets } from "../features/password-reset/index.ts";
import { pruneQueueDepths, pruneQueues } from "../features/queues/index.ts";
import { sweepStaleTasks } from "../features/reconciliation/index.ts";
import {
  pollScheduleChanges,
  reloadSchedulerCertificates,
  renewEmbeddedCertificates,
} from "../features/scheduler-grpc/index.ts";
import { pruneScheduleChanges, pruneScheduleSkips } from "../features/schedules/index.ts";
import { pruneSecurityHistory } from "../features/security-history/index.ts";
import { pruneSessions } from "../features/sessions/index.ts";
import { pruneSetupTokens } from "../features/setup/index.ts";
import { compactRollups, foldCounters, pruneRollups } from "../features/stats/index.ts";
import { indexTaskIds, pruneTasks } from "../features/tasks/index.ts";
import { pruneWorkers, sweepSilentWorkers } from "../features/workers/index.ts";
import { checkpointLog } from "../platform/database/checkpoint.ts";
import { type BoundLoop, bindLoop } from "../platform/loop.ts";
import type { BrainDeps } from "./brain-deps.ts";
import type { Features } from "./features.ts";
import type { Transport } from "./transport.ts";

/** Every background loop of the brain. Those that delete rows by age pause while the system clock is in doubt. */
export function brainLoops(deps: BrainDeps, features: Features, transport: Transport): BoundLoop[] {
  const { metrics, settings } = deps;
  const all = { ...deps, ...features, history: features.securityHistory, transport };
  const checkpointPages = metrics.gauge({
    name: "svc_wal_checkpoint_pages_last",
    help: "pages in the write-ahead log of the embedded database at its last checkpoint",
  });
  const loops = [
    bindLoop(probeWrites, all),
    bindLoop(watchClock, all),
    bindLoop(sweepOfflineAgents, all),
    bindLoop(sweepStaleAgents, all),
    bindLoop(sweepSilentWorkers, all),
    bindLoop(pruneSessions, all),
    bindLoop(pruneTrustedDevices, all),
    bindLoop(pruneSamples, all),
    bindLoop(pruneEvents, all),
    bindLoop(pruneTasks, all),
    bindLoop(pruneQueues, all),
    bindLoop(pruneQueueDepths, all),
    bindLoop(pruneWorkers, all),
    bindLoop(pruneSetupTokens, all),
    bindLoop(prunePasswordResets, all),
    bindLoop(pruneInvitations, all),
    bindLoop(pruneSecurityHistory, all),
    bindLoop(expireCommands, all),
    bindLoop(offerWaiting, all),
    bindLoop(moveBulkRetries, all),
    bindLoop(pruneBulkRetries, all),
    bindLoop(settleOperations, all),
    bindLoop(pruneSnapshotParts, all),
    bindLoop(pruneTombstones, all),
    bindLoop(pruneOperations, all),
    bindLoop(replayFires, all),
    bindLoop(breakCircuits, all),
    ...(settings.SVC_SCHEDULER_MISFIRE_SWEEP_SECONDS > 0
      ? [
          bindLoop(detectMisfires, {
            ...all,
            isSchedulerExpected: settings.SVC_SCHEDULER_GRPC_ENABLED || features.embeddedScheduler !== null,
          }),
        ]
      : []),
    bindLoop(pruneFires, all),
    bindLoop(pruneMisfires, all),
    bindLoop(sweepStaleTasks, all),
    bindLoop(pruneCommands, all),
    bindLoop(pruneScheduleChanges, all),
    bindLoop(pruneScheduleSkips, all),
    bindLoop(pollScheduleChanges, all),
    ...(settings.SVC_SCHEDULER_GRPC_ENABLED ? [bindLoop(reloadSchedulerCertificates, all)] : []),
    bindLoop(renewEmbeddedCertificates, all),
    bindLoop(pruneAudit, { ...all, metrics: createRetentionMetrics(metrics) }),
    ...(settings.SVC_AUDIT_CHAIN_VERIFY_ENABLED
      ? [bindLoop(verifyAudit, { ...all, metrics: createVerifierMetrics(metrics) })]
      : []),
    bindLoop(foldCounters, all),
    bindLoop(compactRollups, all),
    bindLoop(pruneRollups, all),
    bindLoop(indexTaskIds, all),
    bindLoop(checkpointLog, { ...all, checkpointed: (pages) => checkpointPages.set(pages) }),
  ];
  return loops.map((loop) => features.retention.guard(loop));
}
