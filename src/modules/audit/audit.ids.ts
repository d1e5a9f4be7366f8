import { defineId } from '../../platform/ids/define-id.js';

/** An entry of an audit log. The log of changes to feature flags is a table of its own with the same prefix. */
export const AUDIT_ENTRY_ID = defineId('aud');
