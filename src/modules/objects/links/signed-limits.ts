import { PayloadTooLarge } from '../../../platform/http/http.errors.js';

/** A parameter of the query of a link, and so a part of what is signed. */
export const MAX_BYTES_PARAMETER = 'x-max-bytes';

/**
 * Holds a body to the size that its link allows.
 *
 * @param limit the value of {@link MAX_BYTES_PARAMETER} in a request whose signature is right.
 * @throws {PayloadTooLarge} `payload_too_large`
 */
export function requireSignedSize(limit: string | undefined, sizeBytes: number): void {
  if (limit === undefined) return;
  const limitBytes = /^\d{1,15}$/.test(limit) ? Number(limit) : 0;
  if (sizeBytes > limitBytes) throw new PayloadTooLarge(limitBytes);
}
