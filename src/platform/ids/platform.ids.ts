import { defineId } from './define-id.js';

/** A process as the holder of a lease. */
export const PROCESS_ID = defineId('prc');
export const REQUEST_ID = defineId('req');
export const OUTBOX_MESSAGE_ID = defineId('out');
export const JOB_ID = defineId('job');
/** A process that takes work, as other processes see it. */
export const WORKER_ID = defineId('wrk');
export const MESSAGE_ID = defineId('msg');
