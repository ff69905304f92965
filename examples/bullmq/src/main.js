import { Worker } from "bullmq";
import { connectionOptions } from "./connection.js";
import { processors } from "./processors.js";
import { startProducer } from "./producer.js";

/** svc shows a worker by its name; without a name, BullMQ does not record which worker ran a job. */
const crew = [
  { queue: "emails", name: "mailer-1", concurrency: 5 },
  { queue: "images", name: "darkroom-1", concurrency: 2 },
  { queue: "images", name: "darkroom-2", concurrency: 2 },
  { queue: "payments", name: "cashier-1", concurrency: 3 },
  { queue: "albums", name: "bindery-1", concurrency: 1 },
];

const perMinute = Number(process.env.ORDERS_PER_MINUTE ?? 60);
if (!(perMinute >= 1 && perMinute <= 6000)) throw new Error("ORDERS_PER_MINUTE must be 1–6000");

const connection = connectionOptions();
const counts = { completed: 0, failed: 0 };
const workers = crew.map(({ queue, name, concurrency }) => {
  const worker = new Worker(queue, processors[queue], { connection, name, concurrency });
  worker.on("completed", () => {
    counts.completed += 1;
  });
  worker.on("failed", () => {
    counts.failed += 1;
  });
  worker.on("error", (fault) => console.error(`${name}: ${fault.message}`));
  return worker;
});
const stopProducer = startProducer(connection, perMinute);
const report = setInterval(() => {
  console.log(`${counts.completed} jobs done, ${counts.failed} attempts failed`);
}, 5000);
console.log(`The photo lab is open: ${perMinute} orders per minute. Press Ctrl-C to close it.`);

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, async () => {
    clearInterval(report);
    await stopProducer();
    await Promise.all(workers.map((worker) => worker.close()));
    console.log("The photo lab is closed.");
  });
}
