import { defineId } from '../../platform/ids/define-id.js';

export const AGENT_ID = defineId('agt');
export const MEMORY_ID = defineId('mem');
