import { ScimRefusal } from '../domain/scim-refusal.js';

/** The answer is the same for an unknown token, an ended one, and that of another connection. */
export const tokenRefused = (): ScimRefusal =>
  new ScimRefusal(401, 'The token is missing, unknown, expired or revoked, or belongs to another connection.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="scim"' },
  });
