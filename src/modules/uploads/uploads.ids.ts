import { defineId } from '../../platform/ids/define-id.js';

export const UPLOAD_ID = defineId('upl');
export const UPLOAD_STORE_ID = defineId('ups');
