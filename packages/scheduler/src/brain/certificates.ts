import { readFileSync } from "node:fs";
import { createReplaceableTls, type ReadTls, type ReplaceableTls, readTls, type TlsFault } from "@svc/protocol";
import type { SchedulerClock } from "../clock.ts";
import type { SchedulerLog } from "../log.ts";
import { type SchedulerSettings, SchedulerSettingsError } from "../settings.ts";

const names = {
  certificate: "SVC_SCHEDULER_TLS_CERT",
  key: "SVC_SCHEDULER_TLS_KEY",
  authority: "SVC_SCHEDULER_TLS_CA",
} as const;

export interface CertificateDeps {
  readonly settings: Pick<SchedulerSettings, (typeof names)[keyof typeof names]>;
  readonly clock: Pick<SchedulerClock, "after">;
  readonly log: SchedulerLog;
}

export interface Certificates {
  readonly provider: ReplaceableTls["provider"];
  close(): void;
}

const reloadMs = 10_000;

/** The certificate files of the settings. Replaced ones are used for new connections. @throws SchedulerSettingsError */
export function openCertificates({ settings, clock, log }: CertificateDeps): Certificates {
  const read: ReadTls = (member) => readFileSync(settings[names[member]] ?? "", "utf8");
  const { texts, faults } = readTls(read);
  if (texts === null)
    throw new SchedulerSettingsError(faults.map(({ member, message }) => ({ name: names[member], message })));
  const tls = createReplaceableTls(texts, {
    read,
    onReplaced: () => log.info("scheduler.certificates.replaced"),
    onRejected: (found) =>
      log.warn("scheduler.certificates.rejected", {
        reason: `${found.map(textOf).join("; ")}. The previous certificates stay in use.`,
      }),
  });
  let cancel = () => {};
  const schedule = () => {
    cancel = clock.after(reloadMs, () => {
      tls.reload();
      schedule();
    });
  };
  schedule();
  return { provider: tls.provider, close: () => cancel() };
}

const textOf = ({ member, message }: TlsFault): string => `${names[member]} ${message}`;
