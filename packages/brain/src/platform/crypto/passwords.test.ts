import { readdirSync } from "node:fs";
import { getPriority } from "node:os";
import { describe, expect, test } from "vitest";
import { passwordFaults, passwordPolicy } from "./password-policy.ts";
import { createPasswords, passwordLimits } from "./passwords.ts";

const cheap = { SVC_ARGON2_TIME_COST: 1, SVC_ARGON2_MEMORY_COST: 8192, SVC_ARGON2_PARALLELISM: 1 };

describe("password hashes", () => {
  test("are argon2id with the costs of the settings, salted, and fit their password only", async () => {
    const passwords = createPasswords(cheap);
    const [first, second] = await Promise.all([
      passwords.hash("Kestrel-9-lantern", "test"),
      passwords.hash("Kestrel-9-lantern", "test"),
    ]);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=8192,t=1,p=1\$/);
    expect(first).not.toBe(second);
    expect(await passwords.verify(first, "Kestrel-9-lantern", "test")).toBe(true);
    expect(await passwords.verify(first, "kestrel-9-lantern", "test")).toBe(false);
  });

  test("that are missing or broken match nothing", async () => {
    const passwords = createPasswords(cheap);
    expect(await passwords.verify(null, "no account has this password", "test")).toBe(false);
    expect(await passwords.verify("not a hash", "x", "test")).toBe(false);
  });

  test.runIf(process.platform === "linux")("are made by threads of low priority", async () => {
    const own = getPriority();
    const passwords = createPasswords(cheap);
    await Promise.all([passwords.hash("x", "one"), passwords.hash("x", "another")]);
    const priorities = readdirSync("/proc/self/task").map((id) => getPriority(Number(id)));
    // Unless the whole process already has a lower priority. Threads of other test files may live in this process.
    const lowered = Math.max(5, own);
    expect(priorities.filter((one) => one === lowered).length).toBeGreaterThanOrEqual(2);
    expect(getPriority()).toBe(own);
  });

  test("with other costs are outdated", async () => {
    const stored = await createPasswords(cheap).hash("x", "test");
    expect(createPasswords(cheap).isOutdated(stored)).toBe(false);
    expect(createPasswords({ ...cheap, SVC_ARGON2_TIME_COST: 2 }).isOutdated(stored)).toBe(true);
  });

  test("many at once are all answered", async () => {
    const passwords = createPasswords(cheap);
    const stored = await passwords.hash("right", "test");
    const tries = Array.from({ length: 12 }, (_, index) =>
      passwords.verify(stored, index % 3 === 0 ? "right" : "wrong", "test"),
    );
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(4);
  });

  test("wait in a line that has an end, and what comes beyond it is refused whatever was stored", async () => {
    const { atOnce, perSource, maxWaiting } = passwordLimits;
    expect({ atOnce, perSource, maxWaiting }).toEqual({ atOnce: 2, perSource: 1, maxWaiting: 64 });
    const passwords = createPasswords(cheap);
    const stored = await passwords.hash("right", "test");
    const admitted = Array.from({ length: atOnce + maxWaiting }, (_, n) =>
      passwords.verify(stored, "right", `192.0.2.${n}`),
    );
    const full = { code: "unready", details: { reason: "passwords_full" }, headers: { "retry-after": "1" } };
    const beyond = [
      passwords.verify(stored, "right", "test"),
      passwords.verify(null, "right", "test"),
      passwords.hash("right", "test"),
    ];
    for (const refused of beyond) await expect(refused).rejects.toMatchObject(full);
    expect((await Promise.all(admitted)).every(Boolean)).toBe(true);
    expect(await passwords.verify(stored, "right", "test")).toBe(true);
  });
});

describe("guesses", () => {
  const { maxWaiting } = passwordLimits;
  const refusedOf = async (guesses: Promise<boolean>[]) =>
    (await Promise.allSettled(guesses)).filter(({ status }) => status === "rejected").length;

  test("from one network leave a place in the line to others", async () => {
    const passwords = createPasswords(cheap);
    const stored = await passwords.hash("right", "test");
    const guesses = Array.from({ length: 1 + maxWaiting }, () => passwords.verify(null, "guess", "2001:db8:1::/48"));
    const refused = refusedOf(guesses);
    const others = ["192.0.2.1", "192.0.2.2"].map((source) => passwords.verify(stored, "right", source));
    expect(await Promise.all(others)).toEqual([true, true]);
    expect(await refused).toBe(1);
  });

  test("of one signed-in user delay another user by one turn, and are refused in that user's stead", async () => {
    const passwords = createPasswords(cheap, { ...passwordLimits, atOnce: 1 });
    const stored = await passwords.hash("right", "test");
    const done: string[] = [];
    const guesses = Array.from({ length: 90 }, () =>
      passwords.verify(stored, "wrong", "user:viewer").then((fits) => {
        done.push("viewer");
        return fits;
      }),
    );
    const refused = refusedOf(guesses);
    expect(await passwords.verify(stored, "right", "user:admin").finally(() => done.push("admin"))).toBe(true);
    // One ran already, and one was first in the line.
    expect(done).toEqual(["viewer", "viewer", "admin"]);
    expect(await refused).toBe(90 - maxWaiting);
  });

  test("from many networks leave a place to those where a password was right", async () => {
    const passwords = createPasswords(cheap);
    const stored = await passwords.hash("right", "test");
    await passwords.verify(stored, "right", "192.0.2.1");
    const guesses = Array.from({ length: 2 + maxWaiting }, (_, n) => passwords.verify(null, "guess", `10.0.0.${n}`));
    const refused = refusedOf(guesses);
    await expect(passwords.verify(stored, "right", "192.0.2.2")).rejects.toMatchObject({ code: "unready" });
    expect(await passwords.verify(stored, "right", "192.0.2.1")).toBe(true);
    expect(await refused).toBe(1);
  });
});

describe("the password policy", () => {
  test.each([
    ["Kestrel-lant3rn", []],
    ["Short-1x", ["too_short"]],
    ["kestrellantern", ["too_few_classes"]],
    ["kestrellantern7", ["too_few_classes"]],
    ["kestrel lantern harbour", []],
    ["kestrellanternharbour", []],
    ["x".repeat(257), ["too_long"]],
    [`K1-${"xy7".repeat(84)}z`, ["repeated"]],
    ["Password1234", ["common"]],
    ["P@ssw0rd!2024", ["common"]],
    ["Qwertyuiop123!", ["sequence", "common"]],
    ["Dragon1970!!", ["common"]],
    ["Welcome-Home-1", ["common"]],
    ["adminadminadmin-1", ["repeated"]],
    ["aaaaaaaaaaaaaaaa", ["repeated"]],
    ["12345678901234567890", ["sequence", "repeated"]],
    ["passwordpassword", ["repeated"]],
    ["correcthorsebatterystaple", ["common"]],
    ["Ünïcode-Pass", []],
  ])("%s gives %o", (password, faults) => {
    expect(passwordFaults(password, 12)).toEqual(faults);
  });

  test.each([
    ["qwertyuiopasdfgh", "sequence"],
    ["mnbvcxzlkjhgfdsa", "sequence"],
    ["1234567890123456", "sequence"],
    ["1qaz2wsx3edc4rfv", "sequence"],
    ["!QAZ2wsx#EDC4rfv", "sequence"],
    ["abcd1234ABCD5678", "sequence"],
    ["qwertzuiopasdfghjkl", "sequence"],
    ["azertyuiopqsdfgh", "sequence"],
    ["abcabcabcabcabcabc", "repeated"],
    ["aaaaaaaabbbbbbbb", "repeated"],
    ["trustno1trustno1!", "repeated"],
    ["letmein!letmein!", "repeated"],
    ["lantern-lantern-lantern", "repeated"],
    ["passwordpassword1!A", "repeated"],
    ["dragondragon1A!", "repeated"],
    ["letmeinletmein1A!", "repeated"],
    ["Monkey!Monkey!12", "repeated"],
    ["Letmein-letmein1", "repeated"],
    ["password.password1A", "repeated"],
    ["Password1!Password2!", "repeated"],
    ["L-a-n-tern-Lantern.7", "repeated"],
    [`1${"kestrel lantern harbour glass ".repeat(2)}2`, "repeated"],
    ["\u0439\u0446\u0443\u043a\u0435\u043d\u0433\u0448\u0449\u0437\u0445\u044a\u0444\u044b\u0432\u0430", "sequence"],
    ["xPassword1!xx", "common"],
    ["my-Password-2026", "common"],
    ["zzDragon2026!!", "common"],
    ["administrator1!", "common"],
    ["Summer2026!!", "common"],
    ["January-2026-!", "common"],
    ["Iloveyou2026!!", "common"],
    ["***Dr4gon2026***", "common"],
    ["2026-Liverpool!", "common"],
    ["\uff30assword2026!", "common"],
    ["Maria.Lopez2026!", "personal"],
    ["maria.lopez@example.org", "personal"],
    ["L\u00f3pez-Garc\u00eda-99", "personal"],
    ["M4ria-2026-2027", "personal"],
    ["Marilou--1234", "personal"],
  ])("%s is refused as %s", (password, fault) => {
    const about = ["maria.lopez@example.org", "Maria", "L\u00f3pez-Garc\u00eda", "Marilou"];
    expect(passwordFaults(password, 12, about)).toContain(fault);
  });

  test.each([
    ["Bob-Lee-2026!", ["Bob", "Lee"]],
    ["Bob-Lee-2026!", ["b@x.io", "Bob Lee"]],
    ["L.e.e.Bob-2026!", ["Bob", "Lee"]],
    ["Li2026!!Wu2027", ["Li", "Wu"]],
    ["Li2026!!Li2026", ["Li", "Wu"]],
    ["2026--Bob--2027", ["Bob", "Lee"]],
    ["M-a-r-i-a-2026", ["Maria"]],
  ])("%s is refused as personal for %o", (password, about) => {
    expect(passwordFaults(password, 12, about)).toContain("personal");
  });

  test("accepts random passphrases and strings", () => {
    // Park and Miller's generator: the same 20,000 passwords in every run.
    let state = 20_261_123;
    const below = (end: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % end;
    };
    const pick = <T>(from: readonly T[]) => from[below(from.length)] as T;
    const syllables = [..."bcdfghjklmnprstvwz"].flatMap((first) => [..."aeiou"].map((second) => first + second));
    const word = () => Array.from({ length: 2 + below(2) }, () => pick(syllables)).join("") + pick([..."lmnrstk"]);
    const signs = [..."abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789!#%+-=?_"];
    const refused: string[] = [];
    for (let count = 0; count < 10_000; count += 1) {
      const phrase = Array.from({ length: 4 }, word).join(pick(["-", " ", ".", ""]));
      const text = Array.from({ length: 16 }, () => pick(signs)).join("");
      for (const password of [phrase, text])
        if (passwordFaults(password, 12, ["bob.lee@example.org", "Bob", "Lee"]).length > 0) refused.push(password);
    }
    expect(refused).toEqual([]);
  });

  test.each([
    ...["maple orbit trumpet glass", "seven-quiet-otters-dancing", "were power property treetop", "Tqx7-mdp2-Vraz9"],
    ...["v8$Kp2!w7@Zq", "zK4mV9xQ2pL7", "f3a91c07be52d846", "8431907256610398", "the summer was long and cold"],
    ...["my dragon eats cheese daily", "Password managers are lovely", "qwerty is how keyboards start"],
    ...["Maria likes purple teapots", "G\u00fcnther-kocht-4-Suppen", "\u6f22\u5b57\u306e\u5408\u8a00\u8449-Ab1-kura"],
  ])("%s is accepted", (password) => {
    const about = ["maria.lopez@example.org", "Maria", "L\u00f3pez-Garc\u00eda"];
    expect(passwordFaults(password, 12, about)).toEqual([]);
  });

  test("short names are not checked", () => {
    expect(passwordFaults("Bolt-anchor-7", 12, ["bo@x.io", "Bo", "An"])).toEqual([]);
  });

  test("the least length is the setting's", () => {
    expect(passwordFaults("Otter-9mx", 8)).toEqual([]);
    expect(passwordFaults("Otter-9mx", 12)).toEqual(["too_short"]);
  });

  test("is shown with the names of its classes", () => {
    expect(passwordPolicy(12)).toEqual({
      min_length: 12,
      max_length: 256,
      required_character_classes: 3,
      character_class_names: ["lowercase", "uppercase", "digit", "symbol"],
      exempt_length: 16,
    });
  });
});
