import { FlowProducer, Queue } from "bullmq";

const widths = [320, 960, 1920];
/** Finished jobs to keep in Redis; svc keeps its own record of all jobs. */
const kept = { removeOnComplete: { count: 200 }, removeOnFail: { count: 500 } };

/** Adds `perMinute` orders to the queues; returns a function that stops it. */
export function startProducer(connection, perMinute) {
  const options = { connection, defaultJobOptions: kept };
  const emails = new Queue("emails", options);
  const payments = new Queue("payments", options);
  const flows = new FlowProducer({ connection });
  let order = 0;

  async function placeOrder() {
    order += 1;
    const customer = `customer${order % 40}@example.com`;
    await payments.add(
      "charge",
      { order, amountCents: 500 + ((order * 137) % 9000), token: `card-${order}` },
      { attempts: 3, backoff: { type: "exponential", delay: 1000 }, priority: order % 10 === 0 ? 1 : 20 },
    );
    await emails.add("confirmation", { to: customer, order });
    if (order % 4 === 0) await emails.add("how-was-it", { to: customer, order }, { delay: 15_000 });
    if (order % 3 === 0) await orderAlbum();
  }

  /** One album waits for three pictures: a parent with children in another queue. */
  async function orderAlbum() {
    await flows.add({
      name: "bind",
      queueName: "albums",
      data: { album: `album-${order}` },
      opts: kept,
      children: widths.map((width) => ({
        name: "resize",
        queueName: "images",
        data: { photo: `photo-${order}`, width },
        opts: { ...kept, attempts: 3, backoff: { type: "fixed", delay: 500 }, ignoreDependencyOnFailure: true },
      })),
    });
  }

  const timer = setInterval(() => {
    placeOrder().catch((fault) => console.error(`could not place an order: ${fault.message}`));
  }, 60_000 / perMinute);

  return async () => {
    clearInterval(timer);
    await Promise.all([emails.close(), payments.close(), flows.close()]);
  };
}
