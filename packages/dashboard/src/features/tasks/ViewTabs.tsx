import { paths } from "../../paths.ts";
import { stringifySearch } from "../../search-text.ts";
import { AppLink } from "../../ui/AppLink.tsx";
import css from "./list.module.css";
import type { TasksSearch } from "./tasks-search.ts";
import { isSameView, presets } from "./views.ts";

export function ViewTabs({ slug, search }: { slug: string; search: TasksSearch }) {
  return (
    <nav className={`${css.tabs} grow`} aria-label="Views">
      {presets.map((view) => (
        <AppLink
          key={view.name}
          href={paths.tasks(slug) + stringifySearch({ ...view.search })}
          aria-current={isSameView(search, view.search) ? "true" : undefined}
        >
          {view.name}
        </AppLink>
      ))}
    </nav>
  );
}
