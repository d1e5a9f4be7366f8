import type { IncomingMessage } from 'node:http';

/** True for a request whose body is a form as browsers send it. */
export const isForm = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'application/x-www-form-urlencoded';
