import { readdirSync, readFileSync } from "node:fs";

/** A page as its route declares it. */
export interface RoutePage {
  /** The pattern of its address, for a regular expression. */
  path: string;
  /** The end of its module's id. */
  module: string;
  /** Whether it stands in the shell, for who is signed in. */
  inShell: boolean;
}

const folder = new URL("../src/routes/", import.meta.url);
const parent = /getParentRoute: \(\) => (\w+)/;
const address = /\bpath: "([^"]*)"/;
const page = /import\("\.\.(\/features\/[^"]+)"\)/;

/** Every page that a route leads to, read from the source of the routes. */
export function routePages(): RoutePage[] {
  const files = readdirSync(folder).filter((name) => /(?<!\.test)\.tsx?$/.test(name));
  return files.flatMap((name) => pagesIn(readFileSync(new URL(name, folder), "utf8")));
}

export function pagesIn(source: string): RoutePage[] {
  return source.split("createRoute({").flatMap((declared) => {
    const [above, path, module] = [parent, address, page].map((pattern) => pattern.exec(declared)?.[1]);
    if (above === undefined || path === undefined || module === undefined) return [];
    const full = `${above === "projectRoute" ? "/p/$slug" : ""}${path}`.replace(/\/$/, "");
    return [{ path: full.replace(/\$\w+/g, "[^/]+"), module, inShell: above !== "rootRoute" }];
  });
}
