import { defineId } from '../../platform/ids/define-id.js';

export const SCHEDULE_ID = defineId('sch');
export const SCHEDULE_FIRE_ID = defineId('fir');
