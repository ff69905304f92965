import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Plugin, Rolldown } from "vite";
import { closure } from "./check-size.ts";

const source = (path: string) => new URL(`../src/${path}`, import.meta.url);
/** The order of the style layers, said first in every style file: chunks arrive in any order, and the first one decides. */
const layerOrder = "@layer tokens,base,components;";

/** The site map of the routes for who is signed in: the pattern of a page's address, and where its module ends. */
const pages = {
  "": "/projects/home/HomePage.tsx",
  "/me/profile": "/account/ProfilePage.tsx",
  "/me/security": "/account/security/SecurityPage.tsx",
  "/me/api-keys": "/api-keys/ApiKeysPage.tsx",
  "/me/appearance": "/account/AppearancePage.tsx",
  "/admin/users": "/users/UsersPage.tsx",
  "/activity": "/audit/ActivityPage.tsx",
  "/admin/settings": "/admin/SettingsPage.tsx",
  "/admin/versions": "/admin/VersionsPage.tsx",
  "/admin/health": "/admin/HealthPage.tsx",
  "/p/[^/]+": "/overview/OverviewPage.tsx",
  "/p/[^/]+/tasks": "/tasks/TasksPage.tsx",
  "/p/[^/]+/tasks/[^/]+/[^/]+": "/tasks/detail/TaskPage.tsx",
  "/p/[^/]+/issues": "/issues/IssuesPage.tsx",
  "/p/[^/]+/issues/[^/]+": "/issues/IssuePage.tsx",
  "/p/[^/]+/queues": "/queues/QueuesPage.tsx",
  "/p/[^/]+/queues/[^/]+/[^/]+": "/queues/QueuePage.tsx",
  "/p/[^/]+/workers": "/workers/WorkersPage.tsx",
  "/p/[^/]+/workers/[^/]+": "/workers/WorkerPage.tsx",
  "/p/[^/]+/agents": "/agents/AgentsPage.tsx",
  "/p/[^/]+/agents/[^/]+": "/agents/AgentPage.tsx",
  "/p/[^/]+/dead-letters": "/dead-letters/DeadLettersPage.tsx",
  "/p/[^/]+/commands": "/actions/commands/CommandsPage.tsx",
  "/p/[^/]+/commands/[^/]+": "/actions/commands/CommandPage.tsx",
  "/p/[^/]+/bulk-retries/[^/]+": "/actions/bulk-retries/BulkRetryPage.tsx",
  "/p/[^/]+/settings/general": "/projects/settings/GeneralPage.tsx",
  "/p/[^/]+/settings/members": "/memberships/MembersPage.tsx",
  "/p/[^/]+/audit": "/audit/AuditPage.tsx",
};
/** The pages outside of the shell, which nobody comes to with a session that counts. */
const entryPages = [
  "/sessions/LoginPage.tsx",
  "/mfa/VerifyPage.tsx",
  "/mfa/EnrollPage.tsx",
  "/password-reset/RequestPage.tsx",
  "/password-reset/ConfirmPage.tsx",
  "/invitations/InvitePage.tsx",
];

/** Puts icon and glyph sprite into the page, and the script that runs before everything else, under a hashed name. */
export function pageParts(): Plugin {
  return {
    name: "svc-page-parts",
    apply: "build",
    async transformIndexHtml(html) {
      const [sprite, icon] = await Promise.all([
        readFile(source("ui/sprite.svg"), "utf8"),
        readFile(source("../public/favicon.svg"), "base64"),
      ]);
      return html
        .replace('href="/favicon.svg"', `href="data:image/svg+xml;base64,${icon}"`)
        .replace("<!--sprite-->", sprite.replaceAll("\n", ""));
    },
    generateBundle: {
      order: "post",
      async handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type === "asset" && file.fileName.endsWith(".css")) file.source = layerOrder + String(file.source);
        }
        const [theme, parts] = await Promise.all([
          readFile(source("theme-boot.js"), "utf8"),
          readFile(source("parts-boot.js"), "utf8"),
        ]);
        const { files, faults } = pageFiles(bundle);
        if (faults.length > 0) this.error(faults.join("\n"));
        const script = theme + parts.replace("__PAGE_FILES__", () => JSON.stringify(files));
        const hash = createHash("sha256").update(script).digest("base64url").slice(0, 8);
        const fileName = `assets/boot-${hash}.js`;
        this.emitFile({ type: "asset", fileName, source: script });
        const page = bundle["index.html"];
        if (page?.type !== "asset") return this.error("the build has no page");
        page.source = String(page.source).replace("<!--boot-->", `<script src="/${fileName}"></script>`);
      },
    },
  };
}

/** By the pattern of each page's address the files that it loads besides the entry. */
function pageFiles(bundle: Rolldown.OutputBundle): { files: [string, string[]][]; faults: string[] } {
  const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const holding = (module: string) => chunks.filter(({ moduleIds }) => moduleIds.some((id) => id.endsWith(module)));
  const entry = new Set(closure(holding("/src/main.tsx"), byName));
  const shell = holding("/shell/Shell.tsx");
  const files = Object.entries(pages).map(([path, module]): [string, string[]] => {
    const loaded = closure([...shell, ...holding(module)], byName).filter((chunk) => !entry.has(chunk));
    return [path, loaded.map(({ fileName }) => fileName)];
  });
  const known = [...Object.values(pages), ...entryPages];
  const built = chunks.flatMap(({ moduleIds }) => moduleIds).filter((id) => /\/features\/.*Page\.tsx$/.test(id));
  return {
    files,
    faults: [
      ...known.filter((module) => holding(module).length !== 1).map((module) => `no page ${module}`),
      ...built.filter((id) => !known.some((module) => id.endsWith(module))).map((id) => `${id} has no address`),
    ],
  };
}
