import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join, relative, sep } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";

export interface StaticFile {
  readonly type: string;
  readonly etag: string;
  /** True for names with a content hash: the bytes behind the name never change. */
  readonly isImmutable: boolean;
  readonly plain: Buffer;
  readonly brotli: Buffer | null;
  readonly gzip: Buffer | null;
}

export interface StaticFiles {
  /** Answers the file of this path, or false when there is none. */
  send(path: string, request: FastifyRequest, reply: FastifyReply): boolean;
  /** Answers the page that every other path gets. */
  sendPage(request: FastifyRequest, reply: FastifyReply): boolean;
}

const types: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};
const hashedName = /-[A-Za-z0-9_-]{8,40}\.[a-z]{1,20}$/;
const pageName = "/index.html";
/** The whole folder is kept in memory; a larger one is not a build of this project. */
const maxTotalBytes = 64 * 1024 * 1024;

/**
 * Reads the static files of a built folder into memory, with their compressed forms (`x.js.br`, `x.js.gz`). Files are found by name in that
 * list, so no path of a request ever reaches the file system.
 *
 * @throws when the folder is missing or too large.
 */
export async function readStaticFiles(folder: string): Promise<ReadonlyMap<string, StaticFile>> {
  const contents = new Map<string, Buffer>();
  let totalBytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const content = await readFile(path);
    totalBytes += content.byteLength;
    if (totalBytes > maxTotalBytes) throw new Error(`the static files are larger than ${maxTotalBytes} bytes`);
    contents.set(`/${relative(folder, path).split(sep).join("/")}`, content);
  }
  const files = new Map<string, StaticFile>();
  for (const [name, plain] of contents) {
    if (name.endsWith(".br") || name.endsWith(".gz")) continue;
    files.set(name, {
      type: types[extname(name)] ?? "application/octet-stream",
      etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`,
      isImmutable: hashedName.test(name),
      plain,
      brotli: contents.get(`${name}.br`) ?? null,
      gzip: contents.get(`${name}.gz`) ?? null,
    });
  }
  return files;
}

/** The `dist` folder of a package of the workspace when it holds this file; null when the package is not there or not built. */
export function builtFolder(name: string, file: string): string | null {
  try {
    const folder = join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), "dist");
    return existsSync(join(folder, file)) ? folder : null;
  } catch {
    return null;
  }
}

/** Answers a file in the form that the client accepts, or 304 when it has these bytes. */
export function sendStaticFile(file: StaticFile, request: FastifyRequest, reply: FastifyReply): void {
  reply.type(file.type).header("vary", "accept-encoding").header("etag", file.etag);
  const isPage = file.type.startsWith("text/html");
  reply.header(
    "cache-control",
    isPage ? "no-store" : file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
  );
  if (request.headers["if-none-match"] === file.etag && !isPage) {
    reply.code(304).send();
    return;
  }
  const accepted = request.headers["accept-encoding"] ?? "";
  if (file.brotli !== null && /\bbr\b/.test(accepted)) reply.header("content-encoding", "br").send(file.brotli);
  else if (file.gzip !== null && /\bgzip\b/.test(accepted)) reply.header("content-encoding", "gzip").send(file.gzip);
  else reply.send(file.plain);
}

/**
 * The files of a website: each by its name, and its page for other paths.
 *
 * @throws when the folder or its index.html is missing.
 */
export async function loadStaticFiles(folder: string): Promise<StaticFiles> {
  const files = await readStaticFiles(folder);
  const page = files.get(pageName);
  if (page === undefined) throw new Error("the static files hold no index.html");
  return {
    send(path, request, reply) {
      const file = path === pageName ? undefined : files.get(path);
      if (file === undefined) return false;
      sendStaticFile(file, request, reply);
      return true;
    },
    sendPage(request, reply) {
      sendStaticFile(page, request, reply);
      return true;
    },
  };
}
