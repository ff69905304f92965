/** A service as the documentation assumes it: the project `default`, a BullMQ agent with failed tasks, and the credentials of a caller. */
import { testPassword } from "@svc/testkit/brain";
import { type Shop, startShop } from "./shop.ts";

/** The tasks that documented commands name. */
const failedTasks = [
  { taskId: "emails:42", queue: "emails", customer: 7 },
  { taskId: "mail:4711", queue: "mail", customer: 7 },
  { taskId: "billing:1", queue: "billing", customer: 42 },
];

export interface DocumentedShop extends Shop {
  /** Values in the documentation, and their replacements here. */
  readonly values: readonly (readonly [written: RegExp, here: string])[];
}

export async function startDocumentedShop(): Promise<DocumentedShop> {
  const shop = await startShop("bullmq");
  const { brain, engine } = shop;
  for (const { taskId, queue, customer } of failedTasks) {
    engine.deadLetters.push({ task_id: taskId, queue, error_excerpt: "mailbox full" });
    await engine.fail([taskId], queue, { customer });
  }
  // The test project replaces the first one.
  const { root } = brain.as;
  await root.patch("/projects/default", { slug: "before" });
  await root.delete("/projects/before");
  const renamed = await root.patch("/projects/shop", { slug: "default" });
  if (renamed.status !== 200) throw new Error(`renaming the project answered ${renamed.status}`);
  const { SVC_API_KEY: key = "" } = await shop.environment("key", "admin");
  return {
    ...shop,
    values: [
      [/https:\/\/svc\.example\.com|http:\/\/(?:localhost|127\.0\.0\.1):7700/g, brain.url],
      [/you@example\.com|ann@example\.com/g, "admin@example.org"],
      [/"password":"…"/g, `"password":"${testPassword}"`],
      [/\/var\/lib\/svc/g, "data"],
      [/svk_…/g, key],
      [/0197…/g, brain.project.id],
    ],
  };
}
