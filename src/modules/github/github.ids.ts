import { defineId } from '../../platform/ids/define-id.js';

export const INSTALLATION_ID = defineId('ghi');
export const LINK_STATE_ID = defineId('ghs');
