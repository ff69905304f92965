import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Plugin } from "vite";

const source = (path: string) => new URL(`../src/${path}`, import.meta.url);
/** The order of the style layers, said first in every style file: chunks arrive in any order, and the first one decides. */
const layerOrder = "@layer tokens,base,components;";

/** Puts the glyph sprite into the page, and the theme script, under a hashed name, before everything else. */
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
      const sprite = await readFile(source("ui/sprite.svg"), "utf8");
      return html
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
