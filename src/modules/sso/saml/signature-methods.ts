import { constants } from 'node:crypto';
import { RSA_SHA256 } from './saml-names.js';

interface SignatureMethod {
  readonly hash: string;
  readonly padding?: number;
  readonly saltLength?: number;
}

/**
 * Signatures with a private key alone, and without SHA-1. Elliptic curves and SHA-384 are missing because the library
 * cannot verify them.
 */
export const SIGNATURE_METHODS: ReadonlyMap<string, SignatureMethod> = new Map<string, SignatureMethod>([
  [RSA_SHA256, { hash: 'sha256' }],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', { hash: 'sha512' }],
  [
    'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
    { hash: 'sha256', padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
  ],
]);
