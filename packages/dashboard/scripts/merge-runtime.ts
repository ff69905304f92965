import type { Plugin, Rolldown } from "vite";

/** What the merged file exports for the other files; no name that the bundler makes is as long. */
const binding = "$rolldown";

/**
 * Puts the bundler's own helpers, 700 bytes that it keeps in a file of their own, into the file that every page starts with: one request
 * less for each page. That file imports nothing else, so it has run before any other needs a helper.
 */
export function mergeRuntime(): Plugin {
  return {
    name: "svc-merge-runtime",
    apply: "build",
    // The files keep the names they have by then, so their contents must not be those of a build without this.
    augmentChunkHash: () => binding,
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const runtime = chunks.find(({ moduleIds }) => moduleIds.every((id) => id.startsWith("\0rolldown/")));
        const core = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith("/src/main.tsx")));
        if (!runtime || !core || core.imports.some((name) => name !== runtime.fileName)) {
          return this.error("the entry and the bundler's helpers are not two files of which one needs the other");
        }
        for (const chunk of chunks) if (chunk !== runtime) chunk.code = merged(chunk, core, runtime);
        const page = bundle["index.html"];
        if (page?.type !== "asset") return this.error("no page");
        page.source = String(page.source).replace(new RegExp(`\\s*<script[^>]*${fileOf(runtime)}"></script>`), "");
        delete bundle[runtime.fileName];
        const left = Object.values(bundle).find((file) =>
          String(file.type === "chunk" ? file.code : file.source).includes(fileOf(runtime)),
        );
        if (left) this.error(`${left.fileName} still asks for ${runtime.fileName}`);
      },
    },
  };
}

type Chunk = Rolldown.OutputChunk;

const fileOf = ({ fileName }: Chunk): string => fileName.slice(fileName.lastIndexOf("/") + 1);

/** The code of a file without its import of the helpers. */
function merged(chunk: Chunk, core: Chunk, runtime: Chunk): string {
  const helpers = new RegExp(`import\\{([^}]*)\\}from"\\./${fileOf(runtime)}";`);
  const source =
    chunk === core ? `const ${binding}=${helpersOf(runtime)}` : `import{${binding}}from"./${fileOf(core)}"`;
  const code = chunk.code.replace(
    helpers,
    (_, names: string) => `${source};const{${asFields(names, 0, 1)}}=${binding};`,
  );
  // Files that are preloaded beside one that needs the helpers.
  const preloading = code.replaceAll(fileOf(runtime), fileOf(core));
  return chunk === core ? `${preloading}export{${binding}};` : preloading;
}

/** An expression for an object of the helpers, by the names that they are exported under. */
function helpersOf({ code }: Chunk): string {
  return code
    .replace(/export\{([^}]*)\};\s*$/, (_, names: string) => `return{${asFields(names, 1, 0)}}})()`)
    .replace(/^/, "(()=>{");
}

/** `a as b,c as d` as fields, the one or the other name first. */
function asFields(names: string, field: 0 | 1, value: 0 | 1): string {
  return names
    .split(",")
    .map((name) => {
      const parts = name.trim().split(" as ");
      return `${parts[field] ?? parts[0]}:${parts[value] ?? parts[0]}`;
    })
    .join(",");
}
