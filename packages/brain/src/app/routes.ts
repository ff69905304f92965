import { adminRoutes } from "../features/admin/index.ts";
import { gatewayRoutes, longpollRoutes, maxFrameBytes } from "../features/agent-transport/index.ts";
import { agentRoutes } from "../features/agents/index.ts";
import { apiKeyRoutes } from "../features/api-keys/index.ts";
import { auditRoutes } from "../features/audit/index.ts";
import { bulkRetryRoutes } from "../features/bulk-retries/index.ts";
import { commandRoutes } from "../features/commands/index.ts";
import { deadLetterRoutes } from "../features/dead-letters/index.ts";
import { eventRoutes } from "../features/events/index.ts";
import { explainRoutes } from "../features/explain/index.ts";
import { healthRoutes } from "../features/health/index.ts";
import { homeRoutes } from "../features/home/index.ts";
import { redactorOf } from "../features/ingest/index.ts";
import { invitationPublicRoutes, invitationRoutes } from "../features/invitations/index.ts";
import { issueRoutes } from "../features/issues/index.ts";
import { liveRoutes } from "../features/live/index.ts";
import { membershipRoutes } from "../features/memberships/index.ts";
import { mfaRoutes } from "../features/mfa/index.ts";
import { passwordResetRoutes } from "../features/password-reset/index.ts";
import { projectRoutes } from "../features/projects/index.ts";
import { queueRoutes } from "../features/queues/index.ts";
import { savedViewRoutes } from "../features/saved-views/index.ts";
import { securityHistoryRoutes } from "../features/security-history/index.ts";
import { sessionRoutes } from "../features/sessions/index.ts";
import { setupPageRoutes, setupRoutes } from "../features/setup/index.ts";
import { statsRoutes } from "../features/stats/index.ts";
import { taskBreakdownRoutes, taskRoutes } from "../features/tasks/index.ts";
import { userRoutes } from "../features/users/index.ts";
import { workerRoutes } from "../features/workers/index.ts";
import type { Access } from "../platform/http/access/access.ts";
import { type App, mount } from "../platform/http/app.ts";
import type { BrainDeps, Features } from "./features.ts";
import type { Transport } from "./transport.ts";

const api = "/api/v1";

/** Every feature's routes, in URL order: the table of contents. */
export function mountRoutes(app: App, deps: BrainDeps, features: Features, transport: Transport, access: Access): void {
  const { clock, database, metrics, settings } = deps;
  const { agents, audit, health, live, memberships, mfa, projects, sessions, setup } = features;
  const { cookies } = access;
  const shown = features.masking.answer;

  mount(app, "", healthRoutes, { health, metrics, settings });
  mount(app, "", setupPageRoutes, { setup, cookies, clock, settings });
  mount(app, "", gatewayRoutes, { gateway: transport.gateway });
  mount(app, "", liveRoutes, { hub: live.hub, access });

  mount(app, api, longpollRoutes, {
    admit: transport.admit,
    longpoll: transport.longpoll,
    maxBodyBytes: settings.SVC_AGENT_MAX_BODY_BYTES,
    workerId: deps.processId,
  });
  mount(app, api, sessionRoutes, { sessions, cookies });
  mount(app, api, mfaRoutes, { mfa, cookies });
  mount(app, api, securityHistoryRoutes, { history: features.securityHistory, settings });
  mount(app, api, passwordResetRoutes, { passwordReset: features.passwordReset });
  mount(app, api, invitationPublicRoutes, { invitations: features.invitations, access });
  mount(app, api, userRoutes, { administration: features.userAdministration });
  mount(app, api, apiKeyRoutes, { apiKeys: features.apiKeys });
  mount(app, api, healthRoutes, { health, metrics, settings });
  mount(app, api, homeRoutes, { database, clock, projects, memberships });
  mount(app, api, projectRoutes, { projects });
  mount(app, api, adminRoutes, { settingRows: deps.settingRows, settings, versions: features.versions });
  mount(app, api, agentRoutes, { agents, clock, settings });
  mount(app, api, auditRoutes, { database, audit, settings, shown });
  mount(app, api, bulkRetryRoutes, { bulkRetries: features.bulkRetries, database, settings });
  mount(app, api, commandRoutes, {
    database,
    clock,
    audit,
    commands: features.commands,
    settings,
    maxFrameBytes: maxFrameBytes(settings),
    secretOf: features.secretOf,
  });
  mount(app, api, deadLetterRoutes, {
    database,
    clock,
    agents,
    commands: features.commands,
    audit,
    redactor: redactorOf(settings),
    settings,
  });
  mount(app, api, eventRoutes, { database, settings });
  mount(app, api, issueRoutes, { database, clock });
  mount(app, api, membershipRoutes, { memberships, administration: features.memberAdministration });
  mount(app, api, invitationRoutes, { invitations: features.invitations });
  mount(app, api, queueRoutes, { database, clock, settings });
  mount(app, api, savedViewRoutes, { savedViews: features.savedViews });
  mount(app, api, statsRoutes, { database, clock });
  mount(app, api, taskRoutes, {
    database,
    shown,
    audit,
    settings,
    deleted: (projectId, ids) => live.publish({ projectId, topic: "task.changed", ids }),
  });
  mount(app, api, taskBreakdownRoutes, { database, clock });
  mount(app, api, explainRoutes, { database, clock });
  mount(app, api, workerRoutes, { database, clock, settings });
  mount(app, api, setupRoutes, { setup, cookies });
}
