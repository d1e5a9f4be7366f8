import { defineId } from '../../platform/ids/define-id.js';

export const FACTOR_ID = defineId('fac');
