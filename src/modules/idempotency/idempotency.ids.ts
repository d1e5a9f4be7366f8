import { defineId } from '../../platform/ids/define-id.js';

export const ATTEMPT_ID = defineId('idm');
