import { defineId } from '../../platform/ids/define-id.js';

export const DEPLOY_ID = defineId('dpl');
export const DEPLOY_HOOK_ID = defineId('dhk');
