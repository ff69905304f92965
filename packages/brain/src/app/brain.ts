import type { AddressInfo } from "node:net";
import { maxFrameBytes } from "../features/agent-transport/index.ts";
import { originOf } from "../features/audit/index.ts";
import { detectMisfires } from "../features/fires/index.ts";
import { readLastSeen } from "../features/health/index.ts";
import { createResolver } from "../features/masking/index.ts";
import type { Access } from "../platform/http/access/access.ts";
import type { App } from "../platform/http/app.ts";
import { createServer } from "../platform/http/server.ts";
import { LoopRunner } from "../platform/loop.ts";
import type { BrainDatabase } from "../schema/tables/index.ts";
import { routeRules } from "./access/route-rules.ts";
import type { BrainDeps } from "./brain-deps.ts";
import { dashboardPages } from "./dashboard-files.ts";
import { documentation } from "./documents/api-documentation.ts";
import { createFeatures, type Features } from "./features.ts";
import { registerGauges } from "./gauges.ts";
import { brainLoops } from "./loops.ts";
import { maskNames } from "./offline/mask-names.ts";
import { mountRoutes } from "./routes.ts";
import { createTransport } from "./transport.ts";

/** One brain process: built, not yet listening. */
export interface Brain {
  readonly app: App;
  readonly access: Access;
  readonly features: Features;
  readonly loops: LoopRunner;
  readonly database: BrainDatabase;
  /** Begins the audit chain, listens, starts the loops, and begins the setup unless another process has. */
  start(listen: { host: string; port: number; beginsSetup: boolean }): Promise<AddressInfo>;
  /** Stops accepting, closes sockets, finishes requests in progress, and closes the database. */
  stop(): Promise<void>;
}

/** Composition root: builds every feature once and mounts it on one server. */
export async function createBrain(given: Omit<BrainDeps, "isStarted">): Promise<Brain> {
  const { clock, database, log, metrics, settings } = given;
  let isStarted = false;
  const deps: BrainDeps = { ...given, isStarted: () => isStarted };
  const features = createFeatures(deps);
  const {
    agents,
    apiKeys,
    audit,
    commands,
    ingest,
    live,
    memberships,
    projects,
    queues,
    releases,
    sessions,
    setup,
    workers,
  } = features;
  const denied = metrics.counter({
    name: "svc_auth_ip_denied_total",
    help: "requests refused by an address list",
    labels: ["surface"],
  });
  const servePage = await dashboardPages(settings, log, setup);
  const { app, access } = await createServer({
    settings,
    rules: routeRules(settings),
    clock,
    log,
    authenticator: { session: sessions.session, apiKey: apiKeys.apiKey, apiKeyUsed: apiKeys.apiKeyUsed },
    projects,
    onAddressDenied({ surface, reason, address, apiKeyId, userId }) {
      denied.inc({ surface });
      // One audit row per address in ten minutes; one with a key is written even after one without.
      const scope = apiKeyId === null ? "auth.ip_denied" : `auth.ip_denied ${apiKeyId} ${reason}`;
      audit.refused(
        {
          action: "auth.ip_denied",
          target_type: "address",
          result: "failed",
          outcome: "deny",
          source_ip: address,
          api_key_id: apiKeyId,
          user_id: userId,
          metadata: { surface, reason },
        },
        { scope, address },
      );
    },
    openapi: {
      ...documentation,
      visibility: settings.SVC_OPENAPI_VISIBILITY,
      version: deps.version,
      onRead(request) {
        const entry = {
          ...originOf(request),
          action: "openapi.schema_accessed",
          target_type: "openapi",
        };
        // If the document is public, its readers must not fill the queue of other writes.
        return request.caller === null ? audit.refused(entry) : audit.record(entry);
      },
    },
    sockets: { maxMessageBytes: maxFrameBytes(settings) },
    ...(servePage !== undefined && { servePage }),
  });
  const transport = createTransport(deps, features, access);
  const { masking } = features;
  maskNames(app, { masking, resolver: createResolver({ database, masking }) });
  mountRoutes(app, deps, features, transport, access);
  registerGauges(deps, features);
  const loops = new LoopRunner({
    loops: brainLoops(deps, features, transport),
    log,
    metrics,
    acquireLeadership: (name) => database.lead(name),
  });

  agents.onArrived(features.bulkRetries.agentConnected);
  agents.onArrived(features.fires.buffer.agentConnected);
  agents.onRevoked(({ agentId }) => transport.revoked(agentId));
  projects.onChanged(({ projectId, isActive, endedLabel }) => {
    agents.forgetProject(projectId);
    if (endedLabel !== null) {
      ingest.forgetProject(projectId);
      void metrics.forget({ project: endedLabel });
    }
    if (!isActive) {
      transport.archived(projectId);
      // Its waiting commands were cancelled in the same transaction.
      live.hub.changed({ projectId, topic: "command.changed", ids: null });
    }
  });
  memberships.onChanged(() => {
    projects.forget();
    live.hub.rolesChanged();
  });
  sessions.onEnded(({ userId, sessionIds }) => {
    if (sessionIds === null) live.hub.userEnded(userId);
    else for (const id of sessionIds) live.hub.sessionEnded(id);
  });

  return {
    app,
    access,
    features,
    loops,
    database,
    async start({ host, port, beginsSetup }) {
      // Before anything is written, so that the newest row is older than the start.
      features.retention.begin((await readLastSeen(database.read)) ?? (await audit.newestRowAt()));
      await audit.prepare();
      await setup.bind();
      await Promise.all([
        features.agentFile.load(),
        agents.start(),
        projects.start(),
        memberships.start(),
        sessions.start(),
        commands.start(),
        live.start(),
        transport.start(),
      ]);
      await features.writeProbe.run();
      await app.listen({ host, port });
      // Before schedulers connect, which move the cursors past the slots of an outage. A failure is logged, and the loop sweeps again.
      if (settings.SVC_SCHEDULER_MISFIRE_SWEEP_SECONDS > 0) await loops.runOnce(detectMisfires.name).catch(() => {});
      await features.schedulerGrpc.start();
      await features.embeddedScheduler?.start();
      loops.start();
      // Ready means that the first administrator from the settings can sign in.
      if (beginsSetup) await setup.begin();
      isStarted = true;
      return app.server.address() as AddressInfo;
    },
    async stop() {
      isStarted = false;
      // It finishes its open fires, which the rest of the service answers.
      await features.embeddedScheduler?.stop();
      await features.schedulerGrpc.stop();
      await features.bulkRetries.stop();
      await features.fires.buffer.stop();
      await transport.stop();
      live.hub.stop();
      await commands.stop();
      await features.reconciliation.settled();
      await app.close();
      await loops.stop();
      await ingest.stop();
      await Promise.all([
        agents.stop(),
        features.nativeSchedules.stop(),
        queues.stop(),
        workers.stop(),
        releases.stop(),
        projects.stop(),
        memberships.stop(),
        sessions.stop(),
      ]);
      // The changes of the last commits are still sent to the hubs of the other replicas.
      await live.stop();
      await features.passwordReset.settled();
      await features.mail.stop();
      const lost = await audit.stop();
      if (lost > 0) log.error("audit.refusals_lost", { rows: lost });
      await database.close();
    },
  };
}
