import { defineId } from '../../platform/ids/define-id.js';

export const CRON_ID = defineId('cron');
export const CRON_RUN_ID = defineId('crun');
