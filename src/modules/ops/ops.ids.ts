import { defineId } from '../../platform/ids/define-id.js';

export const TASK_ID = defineId('tsk');
export const TASK_EVENT_ID = defineId('tev');
