import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { checkSize } from "./scripts/check-size.ts";
import { pageParts } from "./scripts/page-parts.ts";
import { precompress } from "./scripts/precompress.ts";

/**
 * A file of modules that several pages need, with what those need in turn unless a group before it has that.
 *
 * @param paths Beginnings of paths below `src`, or below the folder of a library.
 * @param minShareCount How many pages and parts of pages must need a module.
 */
const group = (name: string, paths: readonly string[], minShareCount = 1) => ({
  name,
  minShareCount,
  test: new RegExp(`/(src|@tanstack)/(${paths.join("|")})`),
});

export default defineConfig({
  root: new URL(".", import.meta.url).pathname,
  plugins: [react(), pageParts(), checkSize(), precompress()],
  resolve: {
    conditions: ["source", "module", "browser", "development|production"],
    // React has had the hook itself since version 18.
    alias: { "use-sync-external-store/shim/with-selector": "use-sync-external-store/with-selector" },
  },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: ["chrome125", "firefox128", "safari18"],
    // data: URLs would need an exception in the content security policy.
    assetsInlineLimit: 0,
    // The boot script asks for the files of a page, so that not every file has to name them.
    modulePreload: false,
    reportCompressedSize: false,
    sourcemap: false,
    // All styles together are about 18 KB of gzip: one file costs less than a request for each page's own.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A module goes into the first group that it fits. With fifteen requests for the first screen, a page may load four files besides
          // the first two.
          groups: [
            // The modules that the sign-in needs, and the bundler's own helpers.
            { name: "core", tags: ["$initial"] },
            // The modules around every other page, and those that most pages share.
            group("shell", [
              "app/(SignedIn|project-reads)",
              "(shell|api)/(?!notices/(Session|Enrollment)Notice)",
              "live/(?!.*row-pages)",
              "ui/(?!json|layers/(ReasonLayer|DialogFoot)|tables/(Window|steady)|charts/(?!TableToggle)|forms/(FilterBox|filter-box|Snippet|snippet|(Form|Once|Save)Dialog))",
              "address/(?!list-filter)",
              "(react-query|query-core|task-query|plural|save-file)",
              "features/(admin|agents|audit|memberships|projects|queues|task-data)/[a-z-]*queries",
              "features/(actions/(requests/use-act|tasks/bulk-actions)|agents/losses/use-gaps|tasks/(life|focus-back|following/(saved-place|reach)))",
            ]),
            group("table", ["ui/(tables/(Window|steady)|forms/FilterBox)", "live/.*row-pages", "address/list-filter"]),
            // The strip above the task list, which is drawn after the rows, and the parts of lists that the overview uses.
            group("charts", [
              "features/tasks/filters/TimeStrip",
              "ui/charts/",
              "features/(issues/issue-(queries|labels)|workers/(queries|worker-states))",
            ]),
            // Modules that the pages of one task, issue or command share.
            group("parts", [
              "ui/json/",
              "features/actions/(commands/commands[.]module|registry/ActionButton|requests/targets|tasks/CommandStep)",
              "features/tasks/detail/(failure/(Differences|Failure)Panel|detail-queries)",
            ]),
            group("commands", ["features/actions/commands/Command(s?Page|Times)"]),
            group("bulk-retries", ["features/actions/bulk-retries/(BulkRetryPill|sentences|bulk-retry-queries)"]),
            group("task", ["features/tasks/detail/(TaskPage|TaskView)"]),
            group("agents", ["features/agents/(?!.*(?<!CreateAgent)Dialog)"], 2),
            group(
              "fleet",
              ["features/(issues|queues|tasks(?!/(filters|list|matching/DidYou))|workers)/(?!.*Dialog)"],
              2,
            ),
            group("audit", ["features/audit/(?!exports/(ExportDialog|ChainPanel)|records/use-agent-names)"], 2),
            group("people", ["features/(account|admin|mfa|password-reset|projects|sessions|users)/"], 2),
            group(
              "schedules",
              [
                "features/schedules/(?!.*(Dialog|Page|DefinitionPanel|FirePanels|NextRunsPanel|detail/fire-columns|editor/|forecast/(ForecastStrip|QuarterStrip|quarters)))",
              ],
              2,
            ),
            group("schedule-editor", ["features/schedules/editor/"], 2),
          ],
        },
      },
    },
  },
});
