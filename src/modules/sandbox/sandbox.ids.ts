import { defineId } from '../../platform/ids/define-id.js';

export const EXECUTION_ID = defineId('exe');
export const ARTIFACT_ID = defineId('art');
export const SANDBOX_SESSION_ID = defineId('sbx');
