/** ioredis options from REDIS_URL; BullMQ opens the connections itself. */
export function connectionOptions() {
  const url = new URL(process.env.REDIS_URL ?? "redis://127.0.0.1:6379");
  return {
    host: url.hostname,
    port: Number(url.port || 6379),
    ...(url.username !== "" && { username: decodeURIComponent(url.username) }),
    ...(url.password !== "" && { password: decodeURIComponent(url.password) }),
    ...(url.pathname.length > 1 && { db: Number(url.pathname.slice(1)) }),
    ...(url.protocol === "rediss:" && { tls: {} }),
    // BullMQ requires this for its blocking connections.
    maxRetriesPerRequest: null,
  };
}
