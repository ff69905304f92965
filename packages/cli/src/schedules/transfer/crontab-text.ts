import type { Finding, ScheduleDraft } from "../import/conversion.ts";

/** A crontab, and the schedules that a crontab can't express. */
export interface CrontabText {
  readonly lines: readonly string[];
  readonly leftOut: readonly Finding[];
}

/**
 * Prints schedules whose task runs a command, as `svc schedules import crontab` creates them. Disabled ones are commented out. A column of users
 * appears if `hasUsers` is set.
 */
export function crontabText(
  schedules: readonly ScheduleDraft[],
  { hasUsers }: { readonly hasUsers: boolean },
): CrontabText {
  const lines: string[] = [];
  const leftOut: Finding[] = [];
  let zone: string | undefined;
  for (const schedule of schedules) {
    const reason = whyNot(schedule, hasUsers);
    if (reason !== null) {
      leftOut.push({ at: schedule.name, text: reason });
      continue;
    }
    if (schedule.timezone !== zone) {
      zone = schedule.timezone;
      lines.push(`CRON_TZ=${zone}`);
    }
    const { command, stdin, user } = schedule.kwargs as Record<string, string>;
    const input = stdin === undefined ? "" : `%${escaped(stdin).replaceAll("\n", "%")}`;
    const words = [fiveFields(schedule.expression), ...(hasUsers ? [user] : []), `${escaped(command!)}${input}`];
    lines.push(`${schedule.is_enabled === false ? "# " : ""}${words.join(" ")}`);
  }
  return { lines, leftOut };
}

const escaped = (text: string): string => text.replaceAll("%", "\\%");

/** Without a last field `0`, which means the start of the minute. */
function fiveFields(expression: string): string {
  const fields = expression.trim().split(/\s+/);
  return (fields.length === 6 && fields[5] === "0" ? fields.slice(0, 5) : fields).join(" ");
}

function whyNot(schedule: ScheduleDraft, hasUsers: boolean): string | null {
  const { kind, expression, args, kwargs } = schedule;
  if (kind !== "cron") return `a crontab has no ${kind} schedules`;
  const fields = fiveFields(expression);
  if (!fields.startsWith("@") && fields.split(" ").length !== 5) return "a crontab has no seconds";
  if (/[#Ll]/.test(fields.replace(/jul/gi, "")) && !fields.startsWith("@")) return "a crontab has neither L nor #";
  const { command, stdin, user, ...others } = kwargs;
  const isCommand = typeof command === "string" && (stdin === undefined || typeof stdin === "string");
  if (!isCommand || args.length > 0 || Object.keys(others).length > 0) return "its task does not run a command";
  if (command.endsWith("\\") && stdin !== undefined) return "its command ends with a backslash";
  if (/[\n\r]/.test(command)) return "its command has several lines";
  if (hasUsers ? typeof user !== "string" || !/^\S+$/.test(user) : user !== undefined)
    return hasUsers ? "it has no user" : "it runs as a user: add --system";
  return null;
}
