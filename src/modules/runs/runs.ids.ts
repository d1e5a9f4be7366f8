import { defineId } from '../../platform/ids/define-id.js';

export const RUN_ID = defineId('run');
export const TOOL_CALL_ID = defineId('tcl');
export const APPROVAL_ID = defineId('apr');
export const RUN_WORKER_ID = defineId('rwk');
