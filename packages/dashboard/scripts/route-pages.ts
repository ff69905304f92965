import { readdirSync, readFileSync } from "node:fs";

/** A page as its route declares it. */
export interface RoutePage {
  /** With the parameters of the router: `/p/$slug/tasks`. */
  address: string;
  /** The end of its module's id. */
  module: string;
  /** Whether it stands in the shell, for who is signed in. */
  inShell: boolean;
  /** Whether it says which search parameters it knows. */
  validatesSearch: boolean;
}

const folder = new URL("../src/routes/", import.meta.url);

/** Every page that a route leads to, read from the source of the routes; a route without a page only holds others. */
export function routePages(): RoutePage[] {
  const files = readdirSync(folder).filter((name) => /(?<!\.test)\.tsx?$/.test(name));
  return pagesIn(files.map((name) => readFileSync(new URL(name, folder), "utf8")));
}

interface Route {
  file: number;
  name: string;
  parent: string;
  path: string;
  module: string | undefined;
  validatesSearch: boolean;
}

/** @param sources the text of each file; a name means the route of its own file, or of another one where it has none. */
export function pagesIn(sources: readonly string[]): RoutePage[] {
  const routes = sources.flatMap(routesIn);
  const addressOf = ({ file, parent, path }: Route): string => {
    const named = routes.filter(({ name }) => name === parent);
    const above = named.find((route) => route.file === file) ?? named[0];
    return (above === undefined ? "" : addressOf(above)) + path.replace(/\/$/, "");
  };
  return routes.flatMap((route) => {
    const { module, parent, validatesSearch } = route;
    if (module === undefined) return [];
    return [{ address: addressOf(route) || "/", module, inShell: parent !== "rootRoute", validatesSearch }];
  });
}

function routesIn(source: string, file: number): Route[] {
  const parts = source.split("createRoute({");
  return parts.slice(1).map((body, index) => ({
    file,
    name: /const (\w+) =[^;]*$/.exec(parts[index] ?? "")?.[1] ?? "",
    parent: /getParentRoute: \(\) => (\w+)/.exec(body)?.[1] ?? "",
    path: /\bpath: "([^"]*)"/.exec(body)?.[1] ?? "",
    module: /import\("\.\.(\/features\/[^"]+)"\)/.exec(body)?.[1],
    validatesSearch: /\n\s+validateSearch: /.test(body),
  }));
}
