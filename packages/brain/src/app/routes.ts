import { adminRoutes } from "../features/admin/index.ts";
import { agentFileRoutes } from "../features/agent-file/index.ts";
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
import { invitationPublicRoutes, invitationRoutes } from "../features/invitations/index.ts";
import { issueRoutes } from "../features/issues/index.ts";
import { liveRoutes } from "../features/live/index.ts";
import { membershipRoutes } from "../features/memberships/index.ts";
import { mfaRoutes } from "../features/mfa/index.ts";
import { passwordResetRoutes } from "../features/password-reset/index.ts";
import { projectRoutes } from "../features/projects/index.ts";
import { queueRoutes } from "../features/queues/index.ts";
import { savedViewRoutes } from "../features/saved-views/index.ts";
import { schedulerRoutes } from "../features/schedulers/index.ts";
import { scheduleImportRoutes, scheduleRoutes, scheduleTimingRoutes } from "../features/schedules/index.ts";
import { securityHistoryRoutes } from "../features/security-history/index.ts";
import { sessionRoutes } from "../features/sessions/index.ts";
import { setupPageRoutes, setupRoutes } from "../features/setup/index.ts";
import { statsRoutes } from "../features/stats/index.ts";
import { taskBreakdownRoutes, taskRoutes } from "../features/tasks/index.ts";
import { userRoutes } from "../features/users/index.ts";
import { workerRoutes } from "../features/workers/index.ts";
import type { Access } from "../platform/http/access/access.ts";
import { type App, mount } from "../platform/http/app.ts";
import type { BrainDeps } from "./brain-deps.ts";
import type { Features } from "./features.ts";
import type { Transport } from "./transport.ts";

const api = "/api/v1";

/** The routes of every feature, in URL order. */
export function mountRoutes(app: App, deps: BrainDeps, features: Features, transport: Transport, access: Access): void {
  const { settings } = deps;
  const { live } = features;
  const deleted = (projectId: string, ids: string[]) => live.publish({ projectId, topic: "task.changed", ids });
  /** The dependencies of all routes. */
  const all = { ...deps, ...features, access, cookies: access.cookies, shown: features.masking.answer };

  mount(app, "", healthRoutes, all);
  mount(app, "", setupPageRoutes, all);
  mount(app, "", agentFileRoutes, all);
  mount(app, "", gatewayRoutes, transport);
  mount(app, "", liveRoutes, { hub: live.hub, access });

  const { admit, longpoll } = transport;
  const maxBodyBytes = settings.SVC_AGENT_MAX_BODY_BYTES;
  mount(app, api, longpollRoutes, { admit, longpoll, maxBodyBytes, workerId: deps.processId });
  mount(app, api, sessionRoutes, all);
  mount(app, api, mfaRoutes, all);
  mount(app, api, securityHistoryRoutes, { ...all, history: features.securityHistory });
  mount(app, api, passwordResetRoutes, all);
  mount(app, api, invitationPublicRoutes, all);
  mount(app, api, userRoutes, { administration: features.userAdministration });
  mount(app, api, apiKeyRoutes, all);
  mount(app, api, healthRoutes, all);
  mount(app, api, homeRoutes, all);
  mount(app, api, projectRoutes, all);
  mount(app, api, adminRoutes, all);
  mount(app, api, schedulerRoutes, all);
  mount(app, api, agentRoutes, all);
  mount(app, api, auditRoutes, all);
  mount(app, api, bulkRetryRoutes, all);
  mount(app, api, commandRoutes, { ...all, maxFrameBytes: maxFrameBytes(settings) });
  mount(app, api, deadLetterRoutes, all);
  mount(app, api, eventRoutes, all);
  mount(app, api, issueRoutes, all);
  mount(app, api, membershipRoutes, { ...all, administration: features.memberAdministration });
  mount(app, api, invitationRoutes, all);
  mount(app, api, queueRoutes, all);
  mount(app, api, savedViewRoutes, all);
  mount(app, api, scheduleRoutes, all);
  mount(app, api, scheduleImportRoutes, all);
  mount(app, api, scheduleTimingRoutes, all);
  mount(app, api, statsRoutes, all);
  mount(app, api, taskRoutes, { ...all, deleted });
  mount(app, api, taskBreakdownRoutes, all);
  mount(app, api, explainRoutes, all);
  mount(app, api, workerRoutes, all);
  mount(app, api, setupRoutes, all);
}
