import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { minify, type Plugin, type Rolldown } from "vite";
import { closure } from "./check-size.ts";
import { routePages } from "./route-pages.ts";

const source = (path: string) => new URL(`../src/${path}`, import.meta.url);
/** The order of the style layers, declared first in every style file: chunks arrive in any order, and the first declaration applies. */
const layerOrder = "@layer tokens,base,components;";

/** Puts icon and glyph sprite into the page, and the script that runs before everything else, under a hashed name. */
export function pageParts(): Plugin {
  return {
    name: "svc-page-parts",
    apply: "build",
    async transformIndexHtml(html) {
      const [sprite, icon] = await Promise.all([
        readFile(source("ui/sprite.svg"), "utf8"),
        readFile(source("../public/favicon.svg"), "base64"),
      ]);
      return html
        .replace('href="/favicon.svg"', `href="data:image/svg+xml;base64,${icon}"`)
        .replace("<!--sprite-->", sprite.replaceAll("\n", ""));
    },
    generateBundle: {
      order: "post",
      async handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type === "asset" && file.fileName.endsWith(".css")) file.source = layerOrder + String(file.source);
        }
        const [theme, parts] = await Promise.all([
          readFile(source("theme-boot.js"), "utf8"),
          readFile(source("parts-boot.js"), "utf8"),
        ]);
        const { files, faults } = pageFiles(bundle);
        if (faults.length > 0) this.error(faults.join("\n"));
        const text = theme + parts.replace("__PAGE_FILES__", () => JSON.stringify(files));
        const { code: script } = await minify("boot.js", text, { module: false });
        const hash = createHash("sha256").update(script).digest("base64url").slice(0, 8);
        const fileName = `assets/boot-${hash}.js`;
        this.emitFile({ type: "asset", fileName, source: script });
        const page = bundle["index.html"];
        if (page?.type !== "asset") return this.error("the build has no page");
        page.source = String(page.source).replace("<!--boot-->", `<script src="/${fileName}"></script>`);
      },
    },
  };
}

/** For a regular expression. The pattern of the home page is empty, because any path may end with a slash. */
const patternOf = (address: string): string => address.replace(/\/$/, "").replaceAll(/\$\w+/g, "[^/]+");

/** The files that each page loads besides the entry, by the pattern of its address. */
function pageFiles(bundle: Rolldown.OutputBundle): { files: [string, string[]][]; faults: string[] } {
  const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const holding = (module: string) => chunks.filter(({ moduleIds }) => moduleIds.some((id) => id.endsWith(module)));
  const entry = new Set(closure(holding("/src/main.tsx"), byName));
  const shell = holding("/shell/Shell.tsx");
  const pages = routePages();
  const files = pages
    .filter(({ inShell }) => inShell)
    .map(({ address, module }): [string, string[]] => {
      const loaded = closure([...shell, ...holding(module)], byName).filter((chunk) => !entry.has(chunk));
      return [patternOf(address), loaded.map(({ fileName }) => fileName)];
    });
  const built = chunks.flatMap(({ moduleIds }) => moduleIds).filter((id) => /\/features\/.*Page\.tsx$/.test(id));
  return {
    files,
    faults: [
      ...pages.filter(({ module }) => holding(module).length !== 1).map(({ module }) => `no page ${module}`),
      ...built.filter((id) => !pages.some(({ module }) => id.endsWith(module))).map((id) => `${id} has no address`),
    ],
  };
}
