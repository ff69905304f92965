import { createHash } from "node:crypto";
import type { Settings } from "../options.ts";

const plainName = /^[A-Za-z0-9_.-]{1,23}$/;

/**
 * Owner of the schedules that an adapter with these settings sees. A snapshot replaces all schedules of its owner, so the name differs
 * where the watched queues differ. All queues of BullMQ's default prefix have the engine's name, `bullmq`, those of another prefix
 * `bullmq.<prefix>`, those of a namespace `bullmq-<namespace>`. Anything else has a digest.
 */
export function schedulerNameOf({ engine, namespace, prefixes, queues }: Pick<Settings, Scope>): string {
  const [prefix = "", ...others] = prefixes;
  if (queues === undefined && others.length === 0) {
    if (prefix === "bull" && namespace === "") return engine;
    if (prefix === "bull" && plainName.test(namespace)) return `${engine}-${namespace}`;
    if (namespace === "" && plainName.test(prefix)) return `${engine}.${prefix}`;
  }
  const scope = JSON.stringify([namespace, [...prefixes].sort(), queues && [...queues].sort()]);
  return `${engine}.${createHash("sha256").update(scope).digest("hex").slice(0, 12)}`;
}

type Scope = "engine" | "namespace" | "prefixes" | "queues";
