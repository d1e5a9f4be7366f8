import { defineId } from '../../platform/ids/define-id.js';

export const WEBHOOK_ENDPOINT_ID = defineId('whe');
export const WEBHOOK_DELIVERY_ID = defineId('whd');
