import { defineId } from '../../../platform/ids/define-id.js';

export const API_KEY_ID = defineId('key');
export const API_KEY_SECRET_ID = defineId('sec');
