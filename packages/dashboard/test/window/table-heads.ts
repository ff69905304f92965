import type { Page } from "playwright-core";

/** The widest column that holds nothing but a checkbox, in pixels. */
const widestCheckbox = 64;

/** Heads of table columns that are cut off or cover the next one, and columns of checkboxes that are too wide. */
export const unreadableHeads = (page: Page) =>
  page.evaluate((widest) => {
    const faults: string[] = [];
    const heads = [...document.querySelectorAll("main th:not([scope=row]), main [role=columnheader]")];
    for (const head of heads) {
      const { width } = head.getBoundingClientRect();
      if (!head.checkVisibility() || width <= 1) continue;
      const box = head.querySelector("input[type=checkbox]")?.getBoundingClientRect();
      if (box && width > widest) faults.push(`checkbox in a column of ${width} px`);
      if (box && box.right > head.getBoundingClientRect().right) faults.push("a checkbox covers the next head");
      const name = head.textContent?.trim() ?? "";
      const clipped = [head, ...head.querySelectorAll("*:not(svg, svg *)")].filter(
        (part) => getComputedStyle(part).overflowX !== "visible" && part.clientWidth > 1,
      );
      if (clipped.some((part) => part.scrollWidth > part.clientWidth + 1)) faults.push(`${name} is cut off`);
      const shown = document.createRange();
      shown.selectNodeContents(head);
      const next = head.nextElementSibling?.getBoundingClientRect();
      if (next && next.width > 0 && shown.getBoundingClientRect().right > next.left + 1)
        faults.push(`${name} covers the next head`);
    }
    return faults;
  }, widestCheckbox);
