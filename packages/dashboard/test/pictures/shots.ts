import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startTestBrain } from "@svc/testkit/brain";
import { arrange, type Mishap, mishaps } from "../site/page-faults.ts";
import { cookieFor, fillSite, pages } from "../site/pages.ts";
import { fillLongList, longPages } from "../traffic/long-list.ts";
import { axeFaults, openScreen } from "../window/screen.ts";

/**
 * `npm run shots`: a screenshot of every page in every state, theme and width, for review, in `shots/`, which is not committed. With
 * arguments, only pages whose name contains one of them. Each page is also checked with axe, and the run fails on a violation.
 */
const { positionals: words, values } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string", default: "shots" } },
});
const folder = join(import.meta.dirname, "../../../..", values.out);
const site = join(import.meta.dirname, "../../dist");
const settleMs = 600;

const brain = await startTestBrain({ env: { SVC_DASHBOARD_DIST: site } });
try {
  const filled = await fillSite(brain);
  await mkdir(folder, { recursive: true });
  const chosen = Object.entries({ ...pages, ...longPages }).filter(
    ([name]) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  if (chosen.some(([name]) => name in longPages)) await fillLongList(brain);
  let taken = 0;
  for (const [name, one] of chosen) {
    for (const state of ["as it is", ...Object.keys(mishaps)]) {
      for (const theme of ["light", "dark"] as const) {
        for (const size of ["desktop", "phone"] as const) {
          const cookie = cookieFor(one, filled, brain);
          const { page } = await openScreen(brain, { cookie, theme, size });
          if (state !== "as it is") await arrange(page, state as Mishap);
          await page.goto(one.path(filled));
          if (state === "as it is") await one.ready(page);
          await page.waitForTimeout(settleMs);
          const file = [name, state, theme, size].join("-").replaceAll(" ", "_");
          await page.screenshot({ path: join(folder, `${file}.png`) });
          for (const fault of await axeFaults(page)) {
            console.error(`${file}: ${fault}`);
            process.exitCode = 1;
          }
          await page.context().close();
          taken += 1;
        }
      }
    }
    console.log(`${name}: ${taken} pictures so far`);
  }
  console.log(`${taken} pictures in ${values.out}/`);
} finally {
  await brain.stop();
}
