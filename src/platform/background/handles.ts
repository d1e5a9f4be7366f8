import type { JobDefinition, JobHandler } from './define-job.js';
import type { ScheduleDefinition, ScheduleHandler } from './define-schedule.js';

const HANDLED = 'background work that the class handles';

export type WorkDefinition = JobDefinition<object> | ScheduleDefinition;
type Handler<Instance> = new (...dependencies: never[]) => Instance;

export function Handles<Payload extends object>(
  job: JobDefinition<Payload>,
): (target: Handler<JobHandler<Payload, unknown>>) => void;
export function Handles(schedule: ScheduleDefinition): (target: Handler<ScheduleHandler>) => void;
/**
 * Declares that the provider handles this work. Nest's discovery finds it, and a handler of another payload type does
 * not compile.
 */
export function Handles(definition: unknown) {
  return (target: object): void => {
    Reflect.defineMetadata(HANDLED, definition, target);
  };
}

/** Returns undefined for a class that handles nothing. */
export const handledBy = (target: object): WorkDefinition | undefined =>
  Reflect.getMetadata(HANDLED, target) as WorkDefinition | undefined;
