import { IN_COOKIE, SESSION_HEADER } from '../../auth/session-cookie.js';

export const USER_AGENT = {
  name: 'user-agent',
  required: false,
  example: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0)',
  description: 'Identifies the session in the list of sessions.',
};

export const SESSION_PLACE = {
  name: SESSION_HEADER,
  required: false,
  schema: { type: 'string', enum: [IN_COOKIE], example: IN_COOKIE },
  description:
    'For pages of this service: the token is set as a cookie that scripts cannot read, and is not in the response.',
};
