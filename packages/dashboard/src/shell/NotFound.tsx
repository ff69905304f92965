import { paths } from "../address/paths.ts";
import { ButtonLink } from "../ui/buttons/Button.tsx";
import { Empty } from "../ui/panels/Lines.tsx";
import { usePage } from "../ui/title.ts";

export function NotFound() {
  usePage([["Not found"]]);
  return (
    <main id="main" tabIndex={-1}>
      <h1 className="vh">Not found</h1>
      <Empty title="Page not found" chips={<ButtonLink href={paths.home()}>All projects</ButtonLink>}>
        <p>The link may be incomplete, or this version doesn't have that page.</p>
      </Empty>
    </main>
  );
}
