import { defineId } from '../../platform/ids/define-id.js';

export const USER_ID = defineId('usr');
export const EMAIL_CHANGE_ID = defineId('emc');
export const EMAIL_TOKEN_ID = defineId('tok');
