/** Downloads a file under this name. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has read the URL once the click is handled; revoke it a little later to be safe.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
