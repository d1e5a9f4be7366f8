import { defineId } from '../../platform/ids/define-id.js';

export const OAUTH_GRANT_ID = defineId('grt');
export const OAUTH_SIGNING_KEY_ID = defineId('osk');
