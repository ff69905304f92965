import { newRelease } from "./story.ts";

/** The sample shop's queues, workers and kinds of task. */

export interface TaskType {
  readonly name: string;
  readonly queue: string;
  /** Tasks per minute in the busiest hour, excluding children of other tasks. */
  readonly perMinute: number;
  readonly priority: "critical" | "high" | "normal" | "low";
  /** Median run time in milliseconds; single runs vary by a factor of about three. */
  readonly runMs: number;
  /** Share of runs that fail. */
  readonly failureShare: number;
  readonly maxAttempts: number;
  /** Tasks that a successful run starts. */
  readonly children?: readonly { readonly name: string; readonly count: number }[];
  kwargs(random: () => number): Record<string, unknown>;
  result(random: () => number): unknown;
  readonly failures?: readonly Failure[];
  /** A fault in a release: runs with matching inputs always fail. */
  readonly broken?: {
    readonly release: string;
    readonly failure: Failure;
    hits(kwargs: Record<string, unknown>): boolean;
  };
}

export interface Failure {
  readonly exception: string;
  readonly traceback: string;
  /** The first such failure ends the task, since a retry cannot succeed. */
  readonly isFinal?: true;
}

export interface WorkerType {
  readonly name: string;
  readonly queue: string;
  readonly concurrency: number;
  /** Gets a new release hours before the others. */
  readonly isCanary?: true;
}

export const workers: readonly WorkerType[] = [
  { name: "mailer-1", queue: "emails", concurrency: 1 },
  { name: "mailer-2", queue: "emails", concurrency: 1, isCanary: true },
  { name: "billing-1", queue: "billing", concurrency: 1 },
  { name: "billing-2", queue: "billing", concurrency: 1, isCanary: true },
  { name: "media-a", queue: "media", concurrency: 1 },
  { name: "media-b", queue: "media", concurrency: 2, isCanary: true },
  { name: "search-1", queue: "search", concurrency: 1 },
  { name: "export-1", queue: "exports", concurrency: 2 },
];

const orderId = (random: () => number) => 80_000 + Math.floor(random() * 20_000);
const customer = (random: () => number) => `cus_${Math.floor(random() * 1e6).toString(36)}`;
const pick = <T>(random: () => number, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

const gatewayDown: Failure = {
  exception: "PaymentGatewayError: upstream 503 after 30.0 s (gateway eu-1)",
  traceback: `PaymentGatewayError: upstream 503 after 30.0 s (gateway eu-1)
    at Gateway.post (/srv/shop/billing/gateway.js:87:13)
    at Gateway.charge (/srv/shop/billing/gateway.js:118:23)
    at chargeSubscription (/srv/shop/billing/tasks.js:64:33)
    at async Worker.run (/srv/shop/node_modules/queue/lib/worker.js:210:18)
    at async Worker.loop (/srv/shop/node_modules/queue/lib/worker.js:152:7)`,
};
const cardDeclined: Failure = {
  isFinal: true,
  exception: "CardDeclined: insufficient_funds",
  traceback: `CardDeclined: insufficient_funds
    at judgeAnswer (/srv/shop/billing/gateway.js:141:11)
    at Gateway.charge (/srv/shop/billing/gateway.js:120:5)
    at chargeSubscription (/srv/shop/billing/tasks.js:64:33)
    at async Worker.run (/srv/shop/node_modules/queue/lib/worker.js:210:18)`,
};
const bookedTwice: Failure = {
  isFinal: true,
  exception: "IntegrityError: duplicate key ledger_entry_key",
  traceback: `IntegrityError: duplicate key ledger_entry_key
    at Connection.query (/srv/shop/node_modules/postgres/connection.js:402:19)
    at Ledger.book (/srv/shop/billing/ledger.js:33:16)
    at chargeSubscription (/srv/shop/billing/tasks.js:71:18)
    at async Worker.run (/srv/shop/node_modules/queue/lib/worker.js:210:18)`,
};
const templateMissing: Failure = {
  isFinal: true,
  exception: "MissingTemplate: receipt_v3.mjml",
  traceback: `MissingTemplate: receipt_v3.mjml
    at readTemplate (/srv/shop/emails/templates.js:17:11)
    at sendReceipt (/srv/shop/emails/tasks.js:22:20)
    at async Worker.run (/srv/shop/node_modules/queue/lib/worker.js:210:18)`,
};
const versionConflict: Failure = {
  isFinal: true,
  exception: "ResponseError: version_conflict_engine_exception",
  traceback: `ResponseError: version_conflict_engine_exception
    at Transport.request (/srv/shop/node_modules/search/transport.js:258:17)
    at indexProduct (/srv/shop/search/tasks.js:41:9)
    at async Worker.run (/srv/shop/node_modules/queue/lib/worker.js:210:18)`,
};
const mailRefused: Failure = {
  exception: "SmtpError: 450 4.2.1 the mailbox is temporarily unavailable",
  traceback: `SmtpError: 450 4.2.1 the mailbox is temporarily unavailable
    at SmtpConnection.command (/srv/shop/node_modules/mailer/smtp.js:311:15)
    at sendReceipt (/srv/shop/emails/tasks.js:29:9)
    at async Worker.run (/srv/shop/node_modules/queue/lib/worker.js:210:18)`,
};
const codecMissing: Failure = {
  isFinal: true,
  exception: "TranscodeError: no decoder for stream 0:1",
  traceback: `TranscodeError: no decoder for stream 0:1
    at probe (/srv/shop/media/ffmpeg.js:52:11)
    at transcodeVideo (/srv/shop/media/tasks.js:18:20)
    at async Worker.run (/srv/shop/node_modules/queue/lib/worker.js:210:18)`,
};

/** The new release's fault, which affects charges in US dollars. */
export const missingRate: Failure = {
  isFinal: true,
  exception: "TypeError: Cannot read properties of undefined (reading 'rate')",
  traceback: `TypeError: Cannot read properties of undefined (reading 'rate')
    at convert (/srv/shop/billing/currency.js:24:31)
    at taxOf (/srv/shop/billing/tax.js:47:18)
    at chargeSubscription (/srv/shop/billing/tasks.js:58:21)
    at async Worker.run (/srv/shop/node_modules/queue/lib/worker.js:210:18)`,
};

const storageFull: Failure = {
  exception: "StorageError: no space left on volume exports",
  traceback: `StorageError: no space left on volume exports
    at Volume.write (/srv/shop/exports/volume.js:61:11)
    at exportOrders (/srv/shop/exports/tasks.js:33:16)
    at async Worker.run (/srv/shop/node_modules/queue/lib/worker.js:210:18)`,
};

export const taskTypes: readonly TaskType[] = [
  {
    name: "emails.send_receipt",
    queue: "emails",
    perMinute: 4,
    priority: "high",
    runMs: 400,
    failureShare: 0.02,
    maxAttempts: 5,
    kwargs: (random) => ({
      order: orderId(random),
      to: "customer@example.org",
      locale: pick(random, ["en", "de", "fr"]),
    }),
    result: (random) => ({ message_id: `<${Math.floor(random() * 1e9).toString(36)}@shop.example>` }),
    failures: [mailRefused, mailRefused, mailRefused, templateMissing],
  },
  {
    name: "emails.password_reset",
    queue: "emails",
    perMinute: 1.2,
    priority: "critical",
    runMs: 300,
    failureShare: 0.005,
    maxAttempts: 5,
    kwargs: (random) => ({ customer: customer(random), token: "a-secret-that-is-redacted", link_minutes: 30 }),
    result: () => "sent",
    failures: [mailRefused],
  },
  {
    name: "billing.charge_subscription",
    queue: "billing",
    perMinute: 2.5,
    priority: "critical",
    runMs: 1800,
    failureShare: 0.12,
    maxAttempts: 4,
    children: [{ name: "emails.send_receipt", count: 1 }],
    kwargs: (random) => ({
      customer: customer(random),
      amount_cents: 500 + Math.floor(random() * 20_000),
      currency: pick(random, ["EUR", "EUR", "USD"]),
      api_key: "another-secret",
    }),
    broken: { release: newRelease, failure: missingRate, hits: ({ currency }) => currency === "USD" },
    result: (random) => ({
      charge: `ch_${Math.floor(random() * 1e9).toString(36)}`,
      ledger_entry: 9_007_199_254_740_993n.toString(),
    }),
    failures: [gatewayDown, gatewayDown, gatewayDown, gatewayDown, cardDeclined, cardDeclined, bookedTwice],
  },
  {
    name: "billing.run_daily_invoices",
    queue: "billing",
    perMinute: 0.1,
    priority: "high",
    runMs: 4000,
    failureShare: 0,
    maxAttempts: 1,
    children: [{ name: "billing.charge_subscription", count: 8 }],
    kwargs: (random) => ({ region: pick(random, ["eu", "us"]) }),
    result: (random) => ({ invoices: 8, skipped: Math.floor(random() * 3) }),
  },
  {
    name: "media.transcode_video",
    queue: "media",
    perMinute: 0.6,
    priority: "low",
    runMs: 26_000,
    failureShare: 0.06,
    maxAttempts: 2,
    children: [{ name: "media.thumbnail", count: 3 }],
    kwargs: (random) => ({
      source: `uploads/${orderId(random)}.mov`,
      preset: pick(random, ["720p", "1080p", "2160p"]),
    }),
    result: (random) => ({ seconds: Math.floor(random() * 600), tracks: ["video", "audio"] }),
    failures: [codecMissing],
  },
  {
    name: "media.thumbnail",
    queue: "media",
    perMinute: 0.6,
    priority: "normal",
    runMs: 2500,
    failureShare: 0.01,
    maxAttempts: 3,
    kwargs: (random) => ({ source: `uploads/${orderId(random)}.jpg`, width: pick(random, [120, 240, 480]) }),
    result: () => null,
    failures: [codecMissing],
  },
  {
    name: "search.reindex_product",
    queue: "search",
    perMinute: 5,
    priority: "normal",
    runMs: 700,
    failureShare: 0.004,
    maxAttempts: 3,
    kwargs: (random) => ({ product: orderId(random), fields: ["title", "price", "stock"] }),
    result: (random) => ({ documents: 1 + Math.floor(random() * 4) }),
    failures: [versionConflict],
  },
  {
    name: "exports.order_history",
    queue: "exports",
    perMinute: 1,
    priority: "low",
    runMs: 6000,
    failureShare: 0.01,
    maxAttempts: 3,
    kwargs: (random) => ({ customer: customer(random), format: pick(random, ["csv", "xlsx"]) }),
    result: (random) => ({ rows: 1 + Math.floor(random() * 400) }),
    failures: [storageFull],
  },
];
