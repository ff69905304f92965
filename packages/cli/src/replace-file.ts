import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";

/** Writes a file as a whole, whatever the umask says of its mode. Whoever reads it sees the old text or the new one, never a part. */
export async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const fresh = `${path}.${randomUUID()}.tmp`;
  try {
    {
      await using file = await open(fresh, "wx", 0o600);
      await file.writeFile(text);
      await file.chmod(mode);
      await file.sync();
    }
    await rename(fresh, path);
  } catch (cause) {
    await rm(fresh, { force: true });
    throw cause;
  }
}
