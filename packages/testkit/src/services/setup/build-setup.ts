import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const root = join(import.meta.dirname, "../../../../..");

/** Builds changed packages, so that a test's processes and dashboard are the shipped builds of the current sources. */
export default async function setup(): Promise<void> {
  const build = spawn(process.execPath, [join(root, "scripts/build.ts")], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = Promise.all([text(build.stdout), text(build.stderr)]);
  const code = await new Promise<number | null>((resolve, reject) =>
    build.once("error", reject).once("close", resolve),
  );
  if (code !== 0) throw new Error(`the build failed:\n${(await output).join("")}`);
}
