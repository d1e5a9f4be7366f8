import { defineId } from '../../platform/ids/define-id.js';

export const PLAN_CHANGE_ID = defineId('plc');
export const INVOICE_ID = defineId('ivc');
export const CREDIT_NOTE_ID = defineId('crn');
