import type { DomainName } from './domain-name.js';

const CHALLENGE_LABEL = '_service-challenge';
const VALUE_PREFIX = 'service-verification=';

/**
 * Returns the name of the TXT record that proves a domain. One record proves `example.com`, `www.example.com` and
 * `*.example.com`, which have one owner.
 */
export const challengeHostOf = ({ base }: Pick<DomainName, 'base'>): string => `${CHALLENGE_LABEL}.${base}`;

/** Returns the value of the TXT record that proves a domain. */
export const challengeValueOf = (token: string): string => VALUE_PREFIX + token;
