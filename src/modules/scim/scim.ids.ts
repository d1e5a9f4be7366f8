import { defineId } from '../../platform/ids/define-id.js';

export const SCIM_TOKEN_ID = defineId('sct');
export const SCIM_USER_ID = defineId('scu');
export const SCIM_GROUP_ID = defineId('scg');
