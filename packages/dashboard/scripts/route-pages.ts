import { readdirSync, readFileSync } from "node:fs";

/** A page as its route declares it. */
export interface RoutePage {
  /** With the parameters of the router: `/p/$slug/tasks`. */
  address: string;
  /** The end of its module's id. */
  module: string;
  /** Whether the shell surrounds it, which needs a signed-in user. */
  inShell: boolean;
}

const folder = new URL("../src/routes/", import.meta.url);

/** Reads every page that a route leads to from the sources of the routes. */
export function routePages(): RoutePage[] {
  return readdirSync(folder).flatMap((name) => pagesIn(readFileSync(new URL(name, folder), "utf8")));
}

/** The prefix of the addresses of each kind of page. */
const above = { entry: "", instance: "", project: "/p/$slug" } as const;
const page = /\b(entry|instance|project)Page\(\s*"([^"]*)",.*?import\("\.\.(\/features\/[^"]+)"\)/gs;

/** The sign-in page, which is declared in the router itself. */
const firstPage = /\bpath: "([^"]*)",[^}]*\bcomponent: (\w+Page),/g;

/** The pages in the text of one file of routes. */
export function pagesIn(source: string): RoutePage[] {
  const onDemand = [...source.matchAll(page)].map(([, kind, path = "", module = ""]) => ({
    address: (above[kind as keyof typeof above] + path).replace(/(?<=.)\/$/, ""),
    module,
    inShell: kind !== "entry",
  }));
  const atOnce = [...source.matchAll(firstPage)].map(([, address = "", name]) => {
    const feature = new RegExp(`\\b${name}\\b.* from "\\.\\.(/features/\\w+)/index\\.ts"`).exec(source)?.[1];
    return { address, module: `${feature}/${name}.tsx`, inShell: false };
  });
  return [...onDemand, ...atOnce];
}
