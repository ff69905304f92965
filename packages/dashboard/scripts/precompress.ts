import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const compressible = new Set([".html", ".js", ".css", ".svg", ".json"]);
/** Minimum size of a file that is worth a compressed copy. */
const minimumBytes = 512;

/** Writes a brotli and a gzip copy next to each text file, so that the server never compresses a response. */
export function precompress(): Plugin {
  return {
    name: "svc-precompress",
    apply: "build",
    async writeBundle({ dir }) {
      if (!dir) return;
      const files = await readdir(dir, { recursive: true, withFileTypes: true });
      await Promise.all(
        files
          .filter((file) => file.isFile() && compressible.has(extname(file.name)))
          .map((file) => copies(join(file.parentPath, file.name))),
      );
    },
  };
}

async function copies(path: string): Promise<void> {
  const content = await readFile(path);
  if (content.byteLength < minimumBytes) return;
  const options = {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.byteLength },
  };
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(content, options),
    promisify(gzip)(content, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, gzipped)]);
}
