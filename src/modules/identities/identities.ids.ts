import { defineId } from '../../platform/ids/define-id.js';

export const IDENTITY_ID = defineId('idn');
export const BROWSER_SIGN_IN_ID = defineId('bsi');
export const EXTERNAL_SIGN_IN_ID = defineId('xsi');
