import { defineId } from '../../platform/ids/define-id.js';

export const ORG_DOMAIN_ID = defineId('odom');
export const SSO_CONNECTION_ID = defineId('sso');
