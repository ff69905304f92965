export const rateHint = "Tasks per second, or per minute (/m) or hour (/h). 0 removes the limit.";

/** The error of a rate as typed, or null. */
export const rateErrorOf = (text: string): string | null =>
  /^(0|[1-9]\d{0,8})(\/[smh])?$/.test(text.trim()) ? null : "Enter a rate such as 10/m, or 0 to remove the limit";
