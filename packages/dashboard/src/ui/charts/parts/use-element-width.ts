import { type RefObject, useLayoutEffect, useState } from "react";

/** The width of an element in whole CSS pixels, updated on resize; 0 before layout. */
export function useElementWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    setWidth(Math.floor(box.clientWidth));
    const observer = new ResizeObserver(() => setWidth(Math.floor(box.clientWidth)));
    observer.observe(box);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
