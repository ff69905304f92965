import { paths } from "../address/paths.ts";
import { ButtonLink } from "../ui/buttons/Button.tsx";
import { Empty } from "../ui/panels/Lines.tsx";
import { usePage } from "../ui/title.ts";

export function NotFound() {
  usePage([["Not found"]]);
  return (
    <main id="main" tabIndex={-1}>
      <h1 className="vh">Not found</h1>
      <Empty title="There is no page at this address" chips={<ButtonLink href={paths.home()}>All projects</ButtonLink>}>
        <p>The address may be cut off, or from a page this version does not have.</p>
      </Empty>
    </main>
  );
}
