import type { CommandEntry } from "./command.ts";

/** Every command, in the order of `svc help`. One file each, loaded when it runs, so that `svc version` loads no server. */
export const commands: readonly CommandEntry[] = [
  {
    name: "version",
    summary: "print version, runtime and newest schema",
    load: async () => (await import("./version.ts")).version,
  },
];
