import { hash } from "node:crypto";

/**
 * Which failures are the same issue (spec part 3, section 10.2): the exception without its noise and the deepest five frames. Reads
 * the redacted texts before the projection cuts them. Every pattern takes linear time.
 */
const deepestFrames = 5;
const tracebackCharacters = 2000;

/** The fingerprint of a failure, 32 hex digits; null when both texts are missing or empty. */
export function fingerprintOf(exception: string | null, traceback: string | null): string | null {
  const failure = exception ?? "";
  const trace = traceback ?? "";
  if (failure === "" && trace === "") return null;
  const frames = deepestFramesOf(trace);
  const lines = [withoutNoise(failure), ...(frames.length > 0 ? frames : [tracebackExcerpt(trace)])];
  return hash("sha256", lines.join("\n"), "hex").slice(0, 32);
}

const tracebackExcerpt = (trace: string): string =>
  // Noise is at most as long as what replaces it plus a UUID, so twice the excerpt is enough to look at.
  withoutNoise(trace.slice(0, 4 * tracebackCharacters)).slice(0, tracebackCharacters);

function withoutNoise(text: string): string {
  return text
    .replace(/<([A-Za-z_][\w.]{0,200}) object at [^<>\n]{1,200}>/g, "<$1 object>")
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "UUID")
    .replace(/\b0x[0-9a-f]+\b/gi, "0xADDR")
    .replace(/\b\d{4,}\b/g, "N");
}

/** `File "p", line n, in f`: the deepest call is the last one printed. */
const fileForm = /^\s*File "([^"]+)", line (\d+), in (.+)$/;
/**
 * `at f (p:n:m)` and `at p:n:m`: the deepest call is the first one printed. The place is looked for behind the first bracket only: in
 * one pattern with the name it would be looked for behind each.
 */
const namedForm = /^\s*at (.+?) \((.+)$/s;
const placeForm = /^(.+):(\d+):\d+\)$/s;
const bareForm = /^\s*at (\S.*):(\d+):\d+$/;

function deepestFramesOf(trace: string): string[] {
  const inward: string[] = [];
  const outward: string[] = [];
  for (const line of trace.split("\n")) {
    const text = line.trimEnd();
    const file = fileForm.exec(text);
    if (file !== null) {
      inward.push(frameText(file[1] as string, file[2] as string, file[3] as string));
      continue;
    }
    if (outward.length === deepestFrames) continue;
    const named = namedForm.exec(text);
    const place = named === null ? null : placeForm.exec(named[2] as string);
    if (named !== null && place !== null) {
      outward.push(frameText(place[1] as string, place[2] as string, named[1] as string));
      continue;
    }
    const bare = bareForm.exec(text);
    if (bare !== null) outward.push(frameText(bare[1] as string, bare[2] as string, ""));
  }
  return inward.length > 0 ? inward.slice(-deepestFrames).reverse() : outward;
}

function frameText(path: string, line: string, name: string): string {
  const file = path.replaceAll("\\", "/");
  return `${file.slice(file.lastIndexOf("/") + 1)}:${line}:${name.trim()}`;
}
