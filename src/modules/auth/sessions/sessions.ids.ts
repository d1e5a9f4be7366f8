import { defineId } from '../../../platform/ids/define-id.js';

export const SESSION_ID = defineId('ses');
