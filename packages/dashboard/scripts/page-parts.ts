import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Plugin } from "vite";

const source = (path: string) => new URL(`../src/${path}`, import.meta.url);
/** The order of the style layers, said first in every style file: chunks arrive in any order, and the first one decides. */
const layerOrder = "@layer tokens,base,components;";

/** Puts icon and glyph sprite into the page, and the theme script, under a hashed name, before everything else. */
export function pageParts(): Plugin {
  let themeFile = "";
  return {
    name: "svc-page-parts",
    apply: "build",
    async buildStart() {
      const script = await readFile(source("theme-boot.js"));
      const hash = createHash("sha256").update(script).digest("base64url").slice(0, 8);
      themeFile = `assets/theme-${hash}.js`;
      this.emitFile({ type: "asset", fileName: themeFile, source: script });
    },
    async transformIndexHtml(html) {
      const [sprite, icon] = await Promise.all([
        readFile(source("ui/sprite.svg"), "utf8"),
        readFile(source("../public/favicon.svg"), "base64"),
      ]);
      return html
        .replace('href="/favicon.svg"', `href="data:image/svg+xml;base64,${icon}"`)
        .replace("<!--theme-->", `<script src="/${themeFile}"></script>`)
        .replace("<!--sprite-->", sprite.replaceAll("\n", ""));
    },
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === "asset" && file.fileName.endsWith(".css")) file.source = layerOrder + String(file.source);
      }
    },
  };
}
