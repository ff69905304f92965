import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { checkSize } from "./scripts/check-size.ts";
import { mergeRuntime } from "./scripts/merge-runtime.ts";
import { pageParts } from "./scripts/page-parts.ts";
import { precompress } from "./scripts/precompress.ts";

/** What every page needs goes into one file, the entry with it; without this each small shared module would be a request of its own. */
const everywhere =
  /[\\/]src[\\/](main\.tsx|app[\\/]Root|routes|shell|live|ui[\\/](?!layers[\\/]ReasonLayer)|api|address[\\/](paths|search-text)\.ts)|[\\/](?!audit|admin)[a-z-]+[\\/](list-)?queries\.ts$|[\\/]client[\\/]src[\\/](?!task-query|browser-name)|vite[\\/]/;
const libraries = /[\\/]node_modules[\\/](?!.*(react-virtual|virtual-core|qrcode|dijkstrajs))/;
/** What pages with figures need; a chart that a single page draws is that page's. */
const charts = /[\\/]ui[\\/]charts[\\/]/;
const sharedCharts = /[\\/]ui[\\/]charts[\\/](?!OutcomeChart|LineChart)/;
/** What both the task list and the fleet need: else one would load the file of the other. */
const listParts = /[\\/](react-virtual|virtual-core|task-query)[\\/]/;
/** Of the shared folders, what only a task's own page needs, and a row of the list that is opened. */
const taskOnly = /[\\/](Json[A-Z]|json-lines|json\.module|redaction[\\/]markers)/;
/** What the pages of queues, workers and agents share, with each other and with the way to the first task. */
const fleetParts =
  /[\\/]features[\\/](agents|queues|workers)[\\/](?!(Agent|Queue|Worker)s?Page|queries|losses|Revoke|ChartPanels|depth-buckets)|[\\/](TaskTable|FailuresPanel)\.tsx$/;
const fleetOnly =
  /[\\/](LineChart|WindowTable|OnceDialog|Snippet|snippet\.module|FilterBox|filter-box|Facts|facts\.module|steady-order|use-row-pages|row-pages|list-filter)\b/;
/** What the page and the drawer of a task share, and the page: alone it is one kilobyte. Why a task waits is loaded when it is asked. */
const taskParts = /[\\/]features[\\/]tasks[\\/]detail[\\/](?!TaskDrawer|failure[\\/](CauseList|causes|evidence))/;
/** What acts on a task, and what other pages that act take from there once they are drawn. */
const commandParts =
  /[\\/]features[\\/]actions[\\/](tasks[\\/]TaskCommands|registry[\\/]ActionButton|requests[\\/](use-act|able)|commands[\\/](CommandPill|words|command-(queries|columns)|commands\.module))/;
/** What every page but the sign-in needs: the shell, and the parts of it that pages use too. */
const signedIn =
  /[\\/]src[\\/](shell[\\/](?!NotFound)|app[\\/](SignedIn|project-pages)|address[\\/](time-range|range-bounds)\.ts|save-file\.ts|live[\\/](?!connection|live|row-|use)|ui[\\/](layers[\\/](?!ReasonLayer|take-focus)|panels[\\/](NotForRole|PageTabs|page-tabs|ScrollBox|Panel|panel)|tables[\\/](columns|DataTable)|buttons[\\/](OlderButton|Segments)|time[\\/](Stamp|instants)|StatePill|gap-band|pill\.module))|[\\/](field-faults|use-gaps|trouble|worker-states|issue-words|kept-list|reach|task-address|tasks[\\/]life)\.ts$|[\\/]use-agents-notice\.tsx$|[\\/]account[\\/]AccountNav|[\\/](memberships|workers|queues)[\\/]queries\.ts$/;

/** The small pages of who is not signed in yet. The others of them load what else they need by themselves, the QR code above all. */
const entry =
  /[\\/]features[\\/](sessions[\\/](?!queries)|password-reset[\\/]|mfa[\\/](Verify(Page|Form)|CodeField|failures)|account[\\/]password[\\/])/;
/** What the pages of one's own account share. */
const account = /[\\/]features[\\/]account[\\/](?!queries|AccountNav|password[\\/]|api-keys[\\/])/;

/** What the pages of accounts, members and settings share; no other page needs it to begin with. */
const people =
  /[\\/]ui[\\/]buttons[\\/](MenuEntry|Tick)\.tsx$|[\\/]menu-column\.tsx$|[\\/]projects[\\/]settings[\\/](?!GeneralPage|ArchivePart)|[\\/](api-keys|users)[\\/]queries\.ts$/;

export default defineConfig({
  root: new URL(".", import.meta.url).pathname,
  plugins: [react(), mergeRuntime(), pageParts(), checkSize(), precompress()],
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
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    sourcemap: false,
    // All styles together are 10 KB: one file costs less than a request for each page's own.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            {
              name: "task-parts",
              priority: 1,
              test: (id: string) => taskOnly.test(id) || taskParts.test(id) || commandParts.test(id),
            },
            {
              name: "fleet",
              priority: 1,
              test: (id: string) => fleetParts.test(id) || fleetOnly.test(id),
            },
            { name: "entry", priority: 2, test: (id: string) => entry.test(id) },
            { name: "people", priority: 1, test: (id: string) => people.test(id) },
            { name: "account", priority: 1, test: (id: string) => account.test(id) },
            {
              name: "core",
              priority: 3,
              test: (id: string) =>
                libraries.test(id) ||
                (everywhere.test(id) &&
                  !signedIn.test(id) &&
                  !people.test(id) &&
                  !taskOnly.test(id) &&
                  !fleetOnly.test(id) &&
                  !charts.test(id)),
            },
            // The charts are six kilobytes: in a file of their own they would be one request more for every page with figures.
            {
              name: "shell",
              priority: 2,
              test: (id: string) => signedIn.test(id) || sharedCharts.test(id) || listParts.test(id),
            },
          ],
        },
      },
    },
  },
});
