/** As a `ref`: focuses an element that replaces the focused one. */
export const takeFocus = (element: HTMLElement | null): void => element?.focus();
