import { createReadFile, createSend, type RequestOptions } from "./request.ts";
import { accountRoutes } from "./routes/accounts.ts";
import { adminRoutes } from "./routes/admin.ts";
import { agentRoutes } from "./routes/agents.ts";
import { apiKeyRoutes } from "./routes/api-keys.ts";
import { auditRoutes } from "./routes/audit.ts";
import { bulkRetryRoutes } from "./routes/bulk-retries.ts";
import { commandRoutes } from "./routes/commands.ts";
import { deadLetterRoutes } from "./routes/dead-letters.ts";
import { eventRoutes } from "./routes/events.ts";
import { healthRoutes } from "./routes/health.ts";
import { homeRoutes } from "./routes/home.ts";
import { issueRoutes } from "./routes/issues.ts";
import { memberRoutes } from "./routes/members.ts";
import { mfaRoutes } from "./routes/mfa.ts";
import { projectRoutes } from "./routes/projects.ts";
import { queueRoutes } from "./routes/queues.ts";
import { savedViewRoutes } from "./routes/saved-views.ts";
import { statsRoutes } from "./routes/stats.ts";
import { taskBreakdownRoutes } from "./routes/task-breakdowns.ts";
import { taskRoutes } from "./routes/tasks.ts";
import { userRoutes } from "./routes/users.ts";
import { workerRoutes } from "./routes/workers.ts";

export type ClientOptions = RequestOptions;
export type Client = ReturnType<typeof createClient>;

/**
 * One function per route, named verb + noun. Every function takes its path parts first, then its body or query, then
 * `{ signal, background }`.
 *
 * Everything under `types/` is shaped like `components.schemas` of the brain's OpenAPI document (same names, snake_case
 * members, no mapping), so that a generator can replace those files one by one; `routes/` stays by hand.
 */
export function createClient(options: ClientOptions = {}) {
  const send = createSend(options);
  const readFile = createReadFile(options);
  return {
    ...accountRoutes(send),
    ...mfaRoutes(send),
    ...apiKeyRoutes(send),
    ...userRoutes(send),
    ...memberRoutes(send),
    ...homeRoutes(send),
    ...issueRoutes(send),
    ...projectRoutes(send),
    ...taskRoutes(send, readFile),
    ...taskBreakdownRoutes(send),
    ...commandRoutes(send),
    ...deadLetterRoutes(send),
    ...bulkRetryRoutes(send),
    ...savedViewRoutes(send),
    ...eventRoutes(send),
    ...agentRoutes(send),
    ...queueRoutes(send),
    ...workerRoutes(send),
    ...statsRoutes(send),
    ...auditRoutes(send, readFile),
    ...adminRoutes(send),
    ...healthRoutes(send),
  };
}
