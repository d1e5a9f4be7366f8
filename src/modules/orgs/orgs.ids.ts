import { defineId } from '../../platform/ids/define-id.js';

export const ORG_ID = defineId('org');
export const INVITATION_ID = defineId('inv');
