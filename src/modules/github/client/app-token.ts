import { createPrivateKey, createSign } from 'node:crypto';

/** GitHub accepts ten minutes at most, one of which is left for clock skew. */
const LIFETIME_SECONDS = 9 * 60;
const CLOCK_SKEW_SECONDS = 60;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Creates the JWT that authenticates the app to GitHub. */
export function appToken(
  { appId, privateKey }: { readonly appId: string; readonly privateKey: string },
  now: Date,
): string {
  const seconds = Math.floor(now.getTime() / 1_000);
  const claims = { iat: seconds - CLOCK_SKEW_SECONDS, exp: seconds + LIFETIME_SECONDS, iss: appId };
  const content = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  const signature = createSign('RSA-SHA256').update(content).sign(createPrivateKey(privateKey));
  return `${content}.${signature.toString('base64url')}`;
}
