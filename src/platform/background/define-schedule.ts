import type { Role } from '../config/config.js';

/** A role whose process keeps running. */
export type ProcessRole = Extract<Role, 'api' | 'edge' | 'worker' | 'databases'>;

/** Work that is repeated at an interval. The handler and the generated page both read it. */
export interface ScheduleDefinition {
  /** The name, which is also the label of its metrics: kebab case and unique among all background work. */
  readonly name: string;
  /** One sentence that starts with a verb in the third person, for the page on background work. */
  readonly summary: string;
  /** The time in milliseconds from the end of one run to the beginning of the next. */
  readonly everyMs: number;
  /** The time from the start of a process to its first run there. The default is `everyMs`. */
  readonly firstAfterMs?: number;
  /**
   * With `each`, every process that has the handler runs it, and never twice at once in one process. With `one`, only
   * one process at a time runs it.
   */
  readonly runsIn: 'each' | 'one';
  /** The roles whose processes run it. The default is the worker alone. */
  readonly roles?: readonly ProcessRole[];
}

export interface ScheduleHandler {
  /**
   * A long run must end early when `stopping` is aborted: the process is shutting down, or another one has taken over.
   */
  run(stopping: AbortSignal): Promise<unknown>;
}

export const defineSchedule = (definition: ScheduleDefinition): ScheduleDefinition => Object.freeze(definition);
