import { Compile } from "typebox/compile";
import { type SchedulerEntry, SchedulerInfo } from "./schemas.ts";

const maxBytes = 65_536;
const timeoutMs = 3000;
const infos = Compile(SchedulerInfo);

/** Asks a scheduler for its information. Never throws. Redirects are refused, so that only the configured host is contacted. */
export async function readInfo(url: string, limitMs = timeoutMs): Promise<SchedulerEntry> {
  try {
    const response = await fetch(infoUrl(url), {
      redirect: "error",
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(limitMs),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return failed(url, `it returned status ${response.status}`);
    }
    const text = await bounded(response);
    return text === null ? failed(url, `it returned more than ${maxBytes} bytes`) : entryOf(url, parsed(text));
  } catch (error) {
    return failed(url, (error as Error).name === "TimeoutError" ? "it did not answer in time" : "it cannot be reached");
  }
}

/** The entry for what a scheduler reported. */
export function entryOf(url: string, info: unknown): SchedulerEntry {
  if (!infos.Check(info)) return failed(url, "it did not return the information of a scheduler");
  const error = info.watch_healthy ? null : "it receives no changes from the service";
  return { url, ok: error === null, info, error };
}

export const failed = (url: string, error: string): SchedulerEntry => ({ url, ok: false, info: null, error });

function infoUrl(text: string): URL {
  const url = new URL(text);
  if (url.pathname === "/") url.pathname = "/info";
  return url;
}

/** Null when the body is too large. */
async function bounded(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
