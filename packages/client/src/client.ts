import { createReadFile, createSend, type RequestOptions } from "./request.ts";
import { accountRoutes, apiKeyRoutes, mfaRoutes } from "./routes/account.ts";
import { auditRoutes } from "./routes/audit.ts";
import { bulkRetryRoutes, commandRoutes, deadLetterRoutes } from "./routes/commands.ts";
import { agentRoutes, queueRoutes, workerRoutes } from "./routes/fleet.ts";
import { adminRoutes, healthRoutes } from "./routes/instance.ts";
import { memberRoutes, userRoutes } from "./routes/people.ts";
import { homeRoutes, projectRoutes, savedViewRoutes } from "./routes/projects.ts";
import { statsRoutes } from "./routes/stats.ts";
import { eventRoutes, issueRoutes, taskBreakdownRoutes, taskRoutes } from "./routes/tasks.ts";

export type ClientOptions = RequestOptions;
export type Client = ReturnType<typeof createClient>;

/**
 * One function per route, named verb + noun. Every function takes its path parts first, then its body or query, then
 * `{ signal, background }`.
 *
 * Its types are printed from the OpenAPI document of the brain (same names, snake_case members, no mapping); `routes/` is written by hand,
 * and `routes/operations.test.ts` compares it with the operations of the document.
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
