import { useLocation } from "@tanstack/react-router";
import { paths } from "../address/paths.ts";
import { closeOverlay, type OverlayProps, openPalette } from "../shell/overlay.ts";
import { isOn } from "../shell/pages.ts";
import { ProjectList } from "../shell/rail/ProjectList.tsx";
import { useProjectPages } from "../shell/shell-parts.ts";
import { AppLink } from "../ui/buttons/AppLink.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Dialog, menuItem } from "../ui/layers/Layers.tsx";
import css from "./palette.module.css";

/** The pages that don't fit into a phone's bottom bar. */
export function MoreSheet({ slug }: OverlayProps) {
  const pathname = useLocation({ select: (location) => location.pathname });
  const pages = useProjectPages(slug ?? "");
  return (
    <Dialog title="More" isSheet onClose={closeOverlay}>
      <ul>
        {(slug === null ? [] : pages)
          .filter((page) => !page.isOnBar)
          .map((page) => (
            <li key={page.id}>
              <AppLink
                className={menuItem}
                href={page.href(slug ?? "")}
                aria-current={isOn(page, slug ?? "", pathname) ? "page" : undefined}
                onClick={closeOverlay}
              >
                <Icon name={page.icon} />
                {page.label}
              </AppLink>
            </li>
          ))}
        <li>
          <button type="button" className={menuItem} onClick={openPalette}>
            <Icon name="search" />
            Find or go to
          </button>
        </li>
        <li>
          <AppLink className={menuItem} href={paths.appearance()} onClick={closeOverlay}>
            <Icon name="settings" />
            Appearance
          </AppLink>
        </li>
      </ul>
      {slug === null ? null : (
        <section className={css.switch}>
          <h3>Switch project</h3>
          <ProjectList slug={slug} opened={1} onChoose={closeOverlay} />
        </section>
      )}
    </Dialog>
  );
}
