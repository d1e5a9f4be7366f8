import type {
  NewSchedule,
  Schedule,
  ScheduleChange,
  ScheduleFire,
  SchedulePreview,
  SchedulesQuery,
} from './agent-types.js';
import { methodsOf } from './methods.js';
import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';

/** Schedules that start runs of agents. Reads need `agents:read`, and writes need `agents:write`. */
export interface Schedules {
  list(query?: SchedulesQuery, options?: RequestOptions): Listing<Schedule>;

  /** @throws {AuthorizationError} `feature_not_in_plan`. */
  create(schedule: NewSchedule, options?: RequestOptions): Promise<Schedule>;

  /** @throws {NotFoundError} `schedule_not_found`. */
  get(scheduleId: string, options?: RequestOptions): Promise<Schedule>;
  update(scheduleId: string, change: ScheduleChange, options?: RequestOptions): Promise<Schedule>;
  delete(scheduleId: string, options?: RequestOptions): Promise<void>;
  pause(scheduleId: string, options?: RequestOptions): Promise<Schedule>;
  resume(scheduleId: string, options?: RequestOptions): Promise<Schedule>;

  /** Fires once, now. */
  trigger(scheduleId: string, options?: RequestOptions): Promise<ScheduleFire>;

  /** Lists the times at which it was due, latest first. */
  fires(scheduleId: string, query?: ListQuery, options?: RequestOptions): Listing<ScheduleFire>;

  /** Returns the next times of a schedule that need not exist. */
  preview(preview: SchedulePreview, options?: RequestOptions): Promise<{ readonly times: readonly string[] }>;
}

export const schedulesOf = (transport: Transport): Schedules =>
  methodsOf<Schedules>(transport, {
    list: 'list schedules',
    create: 'post schedules',
    get: 'get schedules/:',
    update: 'patch schedules/:',
    delete: 'delete schedules/:',
    pause: 'post schedules/:/pause -',
    resume: 'post schedules/:/resume -',
    trigger: 'post schedules/:/trigger -',
    fires: 'list schedules/:/fires',
    preview: 'post schedules/preview',
  });
