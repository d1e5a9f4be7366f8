import { defineId } from '../../platform/ids/define-id.js';

export const SWARM_ID = defineId('swm');
/** Tasks of operators already have the prefix `tsk`. */
export const SWARM_TASK_ID = defineId('swt');
