import { CallStatus } from "../access/refusal.ts";
import { statusCodes } from "../status-codes.ts";

export interface PlaceLimits {
  readonly atOnce: number;
  readonly perCertificate: number;
  readonly waiting: number;
}

/** Runs a few works at once, of each certificate fewer, and lets others wait in order. */
export function createPlaces({ atOnce, perCertificate, waiting }: PlaceLimits) {
  const queue: { readonly certificate: string; readonly resume: () => void }[] = [];
  const running = new Map<string, number>();
  let total = 0;

  const hasPlace = (certificate: string) => total < atOnce && (running.get(certificate) ?? 0) < perCertificate;

  function add(certificate: string, step: 1 | -1): void {
    total += step;
    const count = (running.get(certificate) ?? 0) + step;
    if (count === 0) running.delete(certificate);
    else running.set(certificate, count);
  }

  function resumeNext(): void {
    const index = queue.findIndex(({ certificate }) => hasPlace(certificate));
    if (index === -1) return;
    const [next] = queue.splice(index, 1);
    add(next!.certificate, 1);
    next!.resume();
  }

  return {
    /** @throws CallStatus `RESOURCE_EXHAUSTED` when too many wait, and what `work` throws. */
    async run<T>(certificate: string, work: () => Promise<T>): Promise<T> {
      if (hasPlace(certificate)) add(certificate, 1);
      else {
        if (queue.length >= waiting) throw new CallStatus(statusCodes.RESOURCE_EXHAUSTED, "too many snapshots wait");
        await new Promise<void>((resume) => queue.push({ certificate, resume }));
      }
      try {
        return await work();
      } finally {
        add(certificate, -1);
        resumeNext();
      }
    },
  };
}
