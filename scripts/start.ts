import { join } from "node:path";
import { buildOrExit } from "./build.ts";

// Builds stale packages, then becomes `svc serve`, so that no process in between has to forward signals.
const root = join(import.meta.dirname, "..");
await buildOrExit(root, [], console.error);

const args = [join(root, "packages/cli/bin/svc.js"), "serve", ...process.argv.slice(2)];
if (process.execve && process.platform !== "win32") {
  process.execve(process.execPath, [process.execPath, ...args], process.env);
} else {
  process.argv.splice(1, process.argv.length, ...args);
  await import("../packages/cli/bin/svc.js" as string);
}
