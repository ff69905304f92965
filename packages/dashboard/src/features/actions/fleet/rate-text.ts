export const rateHint = "Runs for each second, or with /m or /h for each minute or hour; 0 ends the limit.";

/** What is wrong with a rate as it was typed; null when it can be sent. */
export const rateFault = (text: string): string | null =>
  /^(0|[1-9]\d{0,8})(\/[smh])?$/.test(text.trim()) ? null : "Such as 10/m; 0 ends the limit";
