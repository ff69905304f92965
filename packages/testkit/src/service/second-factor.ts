import { Secret, TOTP } from "otpauth";

const period = 30;

/** What of a caller enrolling needs: the test client's `post`, or a wrapper of another one. Paths are below /api/v1. */
export interface EnrollingClient {
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  post(path: string, body?: unknown): Promise<{ readonly status: number; readonly body: any }>;
}

export type SecondFactor = Awaited<ReturnType<typeof enrollSecondFactor>>;

/**
 * Enrolls the caller and gives the authenticator app that holds its secret. From then on its session is verified, and its user's other
 * sessions and sign-ins are asked for a code.
 */
export async function enrollSecondFactor(
  client: EnrollingClient,
  { now = () => new Date() }: { now?: () => Date } = {},
) {
  const begun = await client.post("/auth/mfa/enroll-start");
  if (begun.status !== 200) throw new Error(`beginning an enrollment answered ${begun.status}`);
  const secret: string = begun.body.secret_base32;
  const stepNow = () => TOTP.counter({ period, timestamp: now().getTime() });
  // The last step's code will do for the enrollment, which leaves the present one for what the test is about.
  let lastStep = stepNow() - 1;
  const complete = () =>
    client.post("/auth/mfa/enroll-complete", { code: totpCode(secret, new Date(lastStep * period * 1000)) });
  let done = await complete();
  if (done.status === 422) {
    // The step ended on the way.
    lastStep = stepNow() - 1;
    done = await complete();
  }
  if (done.status !== 200) throw new Error(`completing an enrollment answered ${done.status}`);
  return {
    /** For a page that asks for it to be typed, and for an app of one's own. */
    secret,
    recoveryCodes: done.body.recovery_codes as readonly string[],
    /**
     * A code that no earlier call gave, so that the service takes it. Within 30 seconds there are two, the present one and the next; a
     * recovery code helps out, or a clock that the test moves.
     *
     * @throws when both were given.
     */
    code() {
      const present = stepNow();
      const step = Math.max(present, lastStep + 1);
      if (step > present + 1) throw new Error("the codes of these 30 seconds are used up");
      lastStep = step;
      return totpCode(secret, new Date(step * period * 1000));
    },
  };
}

/** The six digits that an authenticator app shows for a base32 secret at an instant. */
export const totpCode = (secret: string, at: Date): string =>
  TOTP.generate({ secret: Secret.fromBase32(secret), algorithm: "SHA1", digits: 6, period, timestamp: at.getTime() });
