import { defineId } from '../../platform/ids/define-id.js';

export const DOMAIN_ID = defineId('dom');
