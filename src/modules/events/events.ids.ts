import { defineId } from '../../platform/ids/define-id.js';

export const ORG_EVENT_ID = defineId('evt');
