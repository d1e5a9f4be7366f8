import { defineId } from '../../platform/ids/define-id.js';

export const CREDIT_GRANT_ID = defineId('crg');
export const BUDGET_ID = defineId('bgt');
export const LEDGER_ENTRY_ID = defineId('ltx');
