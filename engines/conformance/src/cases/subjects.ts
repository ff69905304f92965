import type { Case } from "../case.ts";
import { deadLetters } from "./dead-letters.ts";
import { faults } from "./faults.ts";
import { interventions } from "./interventions.ts";
import { life } from "./life.ts";
import { offers } from "./offers.ts";
import { payloads } from "./payloads.ts";
import { retries } from "./retries.ts";
import { review } from "./review.ts";
import { schedules } from "./schedules.ts";
import { watching } from "./watching.ts";
import { workers } from "./workers.ts";

export interface Subject {
  readonly title: string;
  readonly cases: readonly Case[];
}

/** In the order in which they run. The dead-letter cases come first because they need an empty queue. */
export const subjects: readonly Subject[] = [
  { title: "dead letters", cases: deadLetters },
  { title: "the life of a task", cases: life },
  { title: "inputs, results and failures", cases: payloads },
  { title: "watching", cases: watching },
  { title: "retries", cases: retries },
  { title: "interventions", cases: interventions },
  { title: "workers", cases: workers },
  { title: "schedules", cases: schedules },
  { title: "commands in general", cases: offers },
  { title: "outages", cases: faults },
  { title: "review of all events", cases: review },
];
