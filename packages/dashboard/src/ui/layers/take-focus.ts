/** As a `ref`: gives the focus to what comes in place of what had it. */
export const takeFocus = (element: HTMLElement | null): void => element?.focus();
