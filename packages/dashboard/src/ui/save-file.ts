/** Has the browser save a file under a name. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken the file once the click is over; a moment more does no harm.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
