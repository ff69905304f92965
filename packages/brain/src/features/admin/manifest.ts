import { Compile } from "typebox/compile";
import { ApiError } from "../../platform/http/error-codes.ts";
import { VersionManifest } from "./schemas.ts";

/** Maximum size of a manifest in bytes. */
const maxBytes = 262_144;
const timeoutMs = 10_000;
const manifests = Compile(VersionManifest);

/**
 * Fetches the manifest of known versions once. Redirects are refused, so that only the configured host is contacted.
 *
 * @throws ApiError `conflict` with reason not_https, fetch_failed or manifest_invalid
 */
export async function fetchManifest(url: string): Promise<VersionManifest> {
  if (!URL.canParse(url) || new URL(url).protocol !== "https:") {
    throw refusal("not_https", "the URL of the version check must use https");
  }
  const text = await readText(url);
  const manifest = parsed(text);
  if (!manifests.Check(manifest)) {
    throw refusal("manifest_invalid", "the version check did not return a valid version manifest");
  }
  // Only the members of the schema are kept.
  const { packages, schema_version, generated_at, generated_by, canonical_url } = manifest;
  return { packages, schema_version, generated_at, generated_by, canonical_url };
}

async function readText(url: string): Promise<string> {
  try {
    const response = await fetch(url, {
      redirect: "error",
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) throw refusal("fetch_failed", `the version check returned status ${response.status}`);
    return await bounded(response);
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw refusal("fetch_failed", "the server of the version check could not be reached", cause);
  }
}

async function bounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw refusal("manifest_invalid", `the version check returned more than ${maxBytes} bytes`);
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

const refusal = (reason: string, message: string, cause?: unknown) =>
  new ApiError("conflict", { reason }, { message, cause });
