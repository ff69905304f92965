import { paths } from "../../../address/paths.ts";
import { PageTabs } from "../../../ui/panels/PageTabs.tsx";

const pages = { general: "General", members: "Members" } as const;
type Page = keyof typeof pages;

/** Tabs of the project settings. */
export function SettingsTabs({ slug, current }: { slug: string; current: Page }) {
  const tabs = (Object.keys(pages) as Page[]).map((page) => ({ label: pages[page], href: paths[page](slug) }));
  return <PageTabs label="Settings" pages={tabs} current={paths[current](slug)} />;
}
