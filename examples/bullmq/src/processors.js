import { setTimeout as pause } from "node:timers/promises";
import { UnrecoverableError } from "bullmq";

/** The photo lab's processors, by queue. A processor selects the work by the job's name. */
export const processors = {
  /** Fast, never fails. */
  async emails(job) {
    await work(30, 120);
    return { accepted: [job.data.to], messageId: `<${job.id}@lab.example>` };
  },

  /** Slow, and every sixth run crashes; three attempts are enough for nearly all. */
  async images(job) {
    await job.updateProgress(10);
    await work(300, 1500);
    if (chance(1 / 6)) throw new Error("the converter ran out of memory");
    await job.updateProgress(100);
    return { file: `${job.data.photo}-${job.data.width}.webp`, bytes: 20_000 + Math.floor(Math.random() * 400_000) };
  },

  /** A refused card fails permanently; an unavailable gateway may recover. */
  async payments(job) {
    await work(80, 400);
    if (chance(1 / 12)) throw new UnrecoverableError(`card refused for order ${job.data.order}`);
    if (chance(1 / 5)) throw new Error("the payment gateway did not answer within 2 s");
    return { charged: job.data.amountCents, currency: "EUR" };
  },

  /** Runs when all children of its flow have finished. */
  async albums(job) {
    const pages = Object.values(await job.getChildrenValues());
    await work(200, 600);
    return { album: job.data.album, pages: pages.length };
  },
};

async function work(leastMs, mostMs) {
  await pause(leastMs + Math.random() * (mostMs - leastMs));
}

function chance(share) {
  return Math.random() < share;
}
