import { paths } from "../address/paths.ts";
import { AppLink } from "../ui/buttons/AppLink.tsx";
import controls from "../ui/controls.module.css";
import { Empty } from "../ui/panels/Feedback.tsx";
import { usePage } from "../ui/title.ts";

export function NotFound() {
  usePage([{ label: "Not found" }]);
  return (
    <main id="main" tabIndex={-1}>
      <h1 className="vh">Not found</h1>
      <Empty
        title="There is no page at this address"
        chips={
          <AppLink className={controls.btn} href={paths.home()}>
            All projects
          </AppLink>
        }
      >
        <p>The address may be cut off, or from a page this version does not have.</p>
      </Empty>
    </main>
  );
}
