import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The secrets that a service created in its home folder. */
export async function mintedSecrets(home: string): Promise<string[]> {
  const text = await readFile(join(home, "secret.env"), "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => line.split("=")[1] ?? []);
}

/** @throws when a log line contains one of the secrets; the message shows neither. */
export function refuseLeaks(logLines: readonly string[], secrets: readonly string[]): void {
  const known = secrets.filter((secret) => secret !== "");
  const leaks = logLines.flatMap((line) => (known.some((secret) => line.includes(secret)) ? [eventOf(line)] : []));
  if (leaks.length > 0) throw new Error(`the log contains secrets, in lines of ${[...new Set(leaks)].join(", ")}`);
}

function eventOf(line: string): string {
  try {
    return String((JSON.parse(line) as { event?: unknown }).event);
  } catch {
    return "a line that is not JSON";
  }
}
