import { defineId } from '../../../platform/ids/define-id.js';

export const SESSION_ID = defineId('ses');
export const SIGN_IN_FLOW_ID = defineId('flow');
