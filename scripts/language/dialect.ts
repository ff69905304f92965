interface DialectWord {
  /** As the message names it. */
  readonly word: string;
  /** Tried on a line in lower case whose names are split into words. */
  readonly pattern: RegExp;
  readonly instead: string;
}

const word = (text: string, instead: string): DialectWord => ({
  word: text,
  pattern: new RegExp(`\\b(?:${text})\\b`),
  instead,
});

/** Words and phrases that svc does not use, each with what to write. */
export const dialect: readonly DialectWord[] = [
  word("told|tell|tells|telling", "reported, notify, show"),
  word("heard|hears?|unheard", "received, notified, last heartbeat"),
  // `gone` is an error code of the API with status 410, and `tasks_gone` a trigger of a released migration.
  {
    word: "gone",
    pattern: /(?<![`"]|410 )\bgone\b(?!: \{ status|(?<=tasks gone) after delete)|(?<=[`"])gone\b(?![`"])/,
    instead: "disconnected, deleted, offline, missing",
  },
  // `nobody` is an account of the system.
  {
    word: "nobody",
    pattern: /(?<![`"])\bnobody\b|(?<=[`"])nobody\b(?![`"])/,
    instead: "unknown, no user, none",
  },
  word("whoever|whomever", "the user who, the caller, anyone who"),
  word("somebody|anybody|everybody", "someone, anyone, everyone, or the role that is meant"),
  word("meanwhile", "in the meantime, or say what happens first"),
  word("anew", "again"),
  word("looks|looked|looking|look (?:at|for|into|among)", "check, scan, poll, read, search"),
  word("became of|becomes of|become of", "the result of, the status of"),
  word("makes? good|made good", "fixes, covers"),
  word("in vain", "without effect"),
  word("as good as", "almost"),
  word("of course|surely", "nothing: leave it out"),
  word("says nothing|said nothing|say nothing", "does not report, is empty"),
  word("from before", "earlier, stale"),
  word("so many|as many of each", "the number"),
  word("at the latest", "within"),
  word("goes on|go on|went on|going on", "continues"),
  word("stands? (?:in|for|before|at|on|there|still)|stood|standing", "is, is in, status"),
  word("beside", "next to, besides, in addition to"),
  word("whereupon|wherein|thereof|hereby|whence|hence|hitherto", "a plain word"),
  word("to and fro|all over", "a plain word"),
  // `loop.ticked` is the name of a log line.
  word("(?<!loop[. ])(?:un)?ticked", "selected"),
  word("taken back|take back|takes back", "cancelled, undone"),
  word("by itself", "automatically"),
  word("gives? back", "returns"),
  word("(?:was|were|is|are|be|been) asked for", "requested"),
  word("is let|are let|let go on", "is allowed"),
  word("bones|turns queue|held button|failed line|counted word|gatherer|together queue|takers", "the standard term"),
  {
    word: "letters",
    pattern: /(?<!\b(?:dead|capital|upper ?case|lower ?case|latin|ascii|small) )\bletters\b/,
    instead: "dead letters, or characters",
  },
];
