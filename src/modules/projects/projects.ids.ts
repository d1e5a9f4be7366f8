import { defineId } from '../../platform/ids/define-id.js';

export const PROJECT_ID = defineId('prj');
