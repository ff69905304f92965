import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const here = (path: string) => new URL(path, import.meta.url);

/** Puts the glyph sprite into the page and the theme script, under a hashed name, before everything else. */
function pageParts(): Plugin {
  let themeFile = "";
  return {
    name: "svc-page-parts",
    apply: "build",
    async buildStart() {
      const source = await readFile(here("src/theme-boot.js"));
      const hash = createHash("sha256").update(source).digest("base64url").slice(0, 8);
      themeFile = `assets/theme-${hash}.js`;
      this.emitFile({ type: "asset", fileName: themeFile, source });
    },
    async transformIndexHtml(html) {
      const sprite = await readFile(here("src/ui/sprite.svg"), "utf8");
      return html
        .replace("<!--theme-->", `<script src="/${themeFile}"></script>`)
        .replace("<!--sprite-->", sprite.replaceAll("\n", ""));
    },
  };
}

export default defineConfig({
  root: new URL(".", import.meta.url).pathname,
  plugins: [react(), pageParts()],
  resolve: { conditions: ["source", "module", "browser", "development|production"] },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: ["chrome125", "firefox128", "safari18"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    sourcemap: false,
  },
});
