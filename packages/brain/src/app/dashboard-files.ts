import type { FastifyReply, FastifyRequest } from "fastify";
import type { Setup } from "../features/setup/index.ts";
import { builtFolder, loadStaticFiles } from "../platform/http/documents/static-files.ts";
import { ApiError } from "../platform/http/error-codes.ts";
import type { Log } from "../platform/log.ts";

export type ServePage = (request: FastifyRequest, reply: FastifyReply) => unknown;

/**
 * Serves the dashboard: its files by name and its page for every other path; while no account exists, redirects to the setup. Undefined
 * when there is no dashboard to serve.
 */
export async function dashboardPages(
  settings: { SVC_DASHBOARD_DIST: string; SVC_DISABLE_SPA_FALLBACK: boolean },
  log: Log,
  setup: Pick<Setup, "isOpen">,
): Promise<ServePage | undefined> {
  if (settings.SVC_DISABLE_SPA_FALLBACK) return undefined;
  const folder = settings.SVC_DASHBOARD_DIST || builtFolder("@svc/dashboard", "index.html");
  if (folder === null) {
    log.warn("dashboard.not_built", { hint: "npm run build" });
    return undefined;
  }
  const files = await loadStaticFiles(folder);
  return async (request, reply) => {
    const query = request.url.indexOf("?");
    const path = query < 0 ? request.url : request.url.slice(0, query);
    if (files.send(path, request, reply)) return reply;
    // A missing asset must not be answered with a page: the browser would run HTML as a script.
    if (path.startsWith("/assets/")) throw new ApiError("not_found");
    // The page itself reports an unreachable database.
    if (await setup.isOpen().catch(() => false)) return reply.redirect("/setup", 302);
    files.sendPage(request, reply);
    return reply;
  };
}
