/** Limits how many streams are open, in all and for each certificate. */
export function createStreamSlots({ total, perCertificate }: { total: number; perCertificate: number }) {
  const open = new Map<string, number>();
  let all = 0;

  return {
    /** Takes a slot until the returned function is called; null when a limit is reached. */
    take(certificate: string): (() => void) | null {
      const own = open.get(certificate) ?? 0;
      if (all >= total || own >= perCertificate) return null;
      all += 1;
      open.set(certificate, own + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        all -= 1;
        const left = (open.get(certificate) ?? 1) - 1;
        if (left > 0) open.set(certificate, left);
        else open.delete(certificate);
      };
    },
    /** How many are open. */
    count: () => all,
  };
}
