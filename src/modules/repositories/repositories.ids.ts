import { defineId } from '../../platform/ids/define-id.js';

export const REPOSITORY_ID = defineId('repo');
