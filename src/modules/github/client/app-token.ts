import { createPrivateKey, createSign } from 'node:crypto';

/** GitHub takes ten minutes at most; a minute of it is for clocks that differ. */
const LIFETIME_SECONDS = 9 * 60;
const CLOCK_SKEW_SECONDS = 60;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The JWT by which an app shows GitHub that it is itself. */
export function appToken(
  { appId, privateKey }: { readonly appId: string; readonly privateKey: string },
  now: Date,
): string {
  const seconds = Math.floor(now.getTime() / 1_000);
  const content = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat: seconds - CLOCK_SKEW_SECONDS, exp: seconds + LIFETIME_SECONDS, iss: appId })}`;
  return `${content}.${createSign('RSA-SHA256').update(content).sign(createPrivateKey(privateKey)).toString('base64url')}`;
}
