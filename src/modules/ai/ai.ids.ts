import { defineId } from '../../platform/ids/define-id.js';

export const GENERATION_ID = defineId('gen');
