import { engineName } from "./shop.ts";

/** A schedule of the sample shop, as the service creates it. */
interface DemoSchedule {
  readonly name: string;
  readonly engine: string;
  readonly task_name: string;
  readonly kind: "cron" | "interval";
  readonly expression: string;
  readonly timezone: string;
  readonly kwargs: Record<string, unknown>;
  readonly overlap_policy?: "skip";
}

const schedule = (given: Omit<DemoSchedule, "engine" | "timezone"> & { readonly timezone?: string }): DemoSchedule => ({
  engine: engineName,
  timezone: "UTC",
  ...given,
});

/** The name of a task that the shop does not have. */
export const missingTask = "crm.sync_contacts";

/** Frequent ones, so that runs appear while the demo is open, and rare ones for the forecast. One fails until the breaker disables it. */
export const demoSchedules: readonly DemoSchedule[] = [
  schedule({
    name: "reindex-bestseller",
    task_name: "search.reindex_product",
    kind: "interval",
    expression: "60",
    kwargs: { product: 80_017, fields: ["price", "stock"] },
  }),
  schedule({
    name: "refresh-start-page-thumbnail",
    task_name: "media.thumbnail",
    kind: "cron",
    expression: "*/2 * * * *",
    kwargs: { source: "uploads/start-page.jpg", width: 480 },
  }),
  schedule({
    name: "regional-invoices",
    task_name: "billing.run_daily_invoices",
    kind: "interval",
    expression: "300",
    kwargs: { region: "eu" },
    overlap_policy: "skip",
  }),
  schedule({
    name: "nightly-invoices",
    task_name: "billing.run_daily_invoices",
    kind: "cron",
    expression: "30 2 * * *",
    timezone: "Europe/Berlin",
    kwargs: { region: "us" },
  }),
  schedule({
    name: "month-end-export",
    task_name: "exports.order_history",
    kind: "cron",
    expression: "0 22 L * *",
    timezone: "America/New_York",
    kwargs: { customer: "cus_archive", format: "csv" },
  }),
  schedule({ name: "sync-contacts", task_name: missingTask, kind: "interval", expression: "60", kwargs: {} }),
];
