import type { Role } from '../config/config.js';

/** A role that keeps running. */
export type ProcessRole = Extract<Role, 'api' | 'edge' | 'worker'>;

/** Work that is done every so often. Both the handler and the generated page read it. */
export interface ScheduleDefinition {
  /** Kebab case, unique among all background work; the label of its metrics. */
  readonly name: string;
  /** One sentence that starts with a verb in the third person, for the page on background work. */
  readonly summary: string;
  /** From the end of one run to the beginning of the next, in milliseconds. */
  readonly everyMs: number;
  /** From the start of a process to its first run there; `everyMs` when left out. */
  readonly firstAfterMs?: number;
  /**
   * `each`: every process that has the handler runs it, and one process never twice at once. `one`: one process of all
   * at a time does.
   */
  readonly runsIn: 'each' | 'one';
  /** The roles whose processes run it; the worker alone when left out. */
  readonly roles?: readonly ProcessRole[];
}

export interface ScheduleHandler {
  /**
   * A run that may take long ends early when `stopping` is aborted: the process ends, or another one has taken over.
   */
  run(stopping: AbortSignal): Promise<unknown>;
}

export const defineSchedule = (definition: ScheduleDefinition): ScheduleDefinition => Object.freeze(definition);
