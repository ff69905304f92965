import type { Worker } from "@svc/client";
import { count } from "../../ui/time/format.ts";
import css from "./workers.module.css";

/** Running tasks of a worker out of its concurrency, if known. */
export function PoolBar({ worker }: { worker: Pick<Worker, "active_tasks" | "concurrency" | "state"> }) {
  const { active_tasks: used, concurrency: size } = worker;
  if (!size) {
    return (
      <span className={css.pool}>
        {count(used)} <span className="t3">running</span>
      </span>
    );
  }
  const share = Math.min(1, used / size);
  return (
    <span className={css.pool} data-full={used >= size && worker.state === "online"}>
      <svg className="lg" width="48" height="6" aria-hidden="true">
        <rect className={css.ground} width="48" height="6" rx="1" />
        <rect width={used === 0 ? 0 : Math.max(1.5, share * 48)} height="6" rx="1" />
      </svg>
      <span>
        {count(used)} <span className="t3">of {count(size)}</span>
      </span>
    </span>
  );
}
