import { type RefCallback, useCallback, useState } from "react";

/** The width in CSS pixels of the element that gets the returned ref; 0 before it is mounted. */
export function useWidth(): [number, RefCallback<Element>] {
  const [width, setWidth] = useState(0);
  const measure = useCallback((element: Element | null) => {
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [width, measure];
}
