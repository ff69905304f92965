import { gzipSync } from "node:zlib";
import type { Plugin, Rolldown } from "vite";
import { routePages } from "./route-pages.ts";

// Budgets. Sizes are gzip bytes; a page's figure is everything its first paint loads.
const maximumJs = 194_000;
const maximumSignInJs = 122_000;
const signIn = "/features/sessions/LoginPage.tsx";
const maximumCss = 20_000;
const maximumLazyChunk = 40_000;
/** The modules that draw the charts, in whichever chunk; their size before compression. */
const chartModules = "/ui/charts/";
const maximumCharts = 30_000;
const maximumRequests = 16;
/** Page, the script before it, and up to seven reads: the session, the project, its figures, and the page's own. */
const otherRequests = 9;

export interface ScreenSize {
  name: string;
  js: number;
  css: number;
  requests: number;
}

/** Fails the build when a screen or a lazy chunk exceeds its budget, and prints the size of each screen. */
export function checkSize(): Plugin {
  return {
    name: "svc-check-size",
    apply: "build",
    writeBundle(_options, bundle) {
      const { sizes, faults } = measure(bundle);
      for (const { name, js, css, requests } of sizes) {
        console.log(`${name.padEnd(16)} ${kilo(js)} KB script, ${kilo(css)} KB style, ${requests} requests`);
      }
      if (faults.length > 0) this.error(faults.join("\n"));
    },
  };
}

export function measure(bundle: Rolldown.OutputBundle): { sizes: ScreenSize[]; faults: string[] } {
  const faults: string[] = [];
  const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
  // Its chunk also contains what every page needs, so it is not marked as an entry.
  const entry = chunks.find((chunk) => chunk.moduleIds.some((id) => id.endsWith("/src/main.tsx")));
  if (!entry) return { sizes: [], faults: ["the build has no entry"] };
  const assets = Object.values(bundle).filter((file) => file.type === "asset");
  const styles = assets.filter(({ fileName }) => fileName.endsWith(".css"));
  // Scripts that run before the entry, on every screen.
  const bootBytes = sum(assets.filter(({ fileName }) => fileName.endsWith(".js")).map(({ source }) => gzipped(source)));
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));

  const holding = (module: string) => chunks.filter(({ moduleIds }) => moduleIds.some((id) => id.endsWith(module)));
  const sizes = routePages().map(({ module, inShell }) => {
    const name = module.slice(module.lastIndexOf("/") + 1, -".tsx".length);
    const loaded = closure([entry, ...(inShell ? holding("/src/shell/Shell.tsx") : []), ...holding(module)], byName);
    const maximum = module === signIn ? maximumSignInJs : maximumJs;
    const size = {
      name,
      js: bootBytes + sum(loaded.map((chunk) => gzipped(chunk.code))),
      css: sum(styles.map(({ source }) => gzipped(source))),
      requests: loaded.length + styles.length + otherRequests,
    };
    if (size.js > maximum) faults.push(`${name}: ${size.js} bytes of script, at most ${maximum}`);
    if (size.css > maximumCss) faults.push(`${name}: ${size.css} bytes of style, at most ${maximumCss}`);
    if (size.requests > maximumRequests) faults.push(`${name}: ${size.requests} requests, at most ${maximumRequests}`);
    return size;
  });

  const first = new Set(closure([entry], byName));
  for (const chunk of chunks) {
    const size = gzipped(chunk.code);
    if (!first.has(chunk) && size > maximumLazyChunk) {
      faults.push(`${chunk.fileName}: ${size} bytes, at most ${maximumLazyChunk} for a chunk that is loaded later`);
    }
  }
  const charts = chunks
    .flatMap(({ modules }) => Object.entries(modules))
    .flatMap(([id, { code }]) => (id.includes(chartModules) ? [code ?? ""] : []));
  const chartsSize = gzipped(charts.join(""));
  if (charts.length === 0) faults.push(`no modules in ${chartModules}`);
  if (chartsSize > maximumCharts) faults.push(`charts: ${chartsSize} bytes, at most ${maximumCharts}`);
  return { sizes, faults };
}

export function closure(
  from: readonly Rolldown.OutputChunk[],
  byName: Map<string, Rolldown.OutputChunk>,
): Rolldown.OutputChunk[] {
  const reached = new Set(from);
  for (const chunk of reached) {
    for (const name of chunk.imports) {
      const next = byName.get(name);
      if (next) reached.add(next);
    }
  }
  return [...reached];
}

function gzipped(content: string | Uint8Array): number {
  return gzipSync(content).byteLength;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function kilo(size: number): string {
  return (size / 1000).toFixed(1).padStart(6);
}
