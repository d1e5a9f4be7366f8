import { codeOf, stepAt } from '../../src/modules/factors/totp/totp.js';
import { Clock } from '../../src/platform/time/clock.js';
import { as, expectStatus, type Person } from './make.js';
import type { Answer, TestApp } from './test-app.js';

/** Reads a secret as an authenticator app does (RFC 4648). */
export function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code that an authenticator app shows now for a secret in base32. */
export const totpOf = (secret: string): string => codeOf(fromBase32(secret), stepAt(new Date()));

/** The code that an authenticator app shows by the clock of the service, or so many steps apart. */
export const codeFor = (app: TestApp, secret: Buffer, apart = 0): string =>
  codeOf(secret, stepAt(app.get(Clock).now()) + apart);

interface AddedTotp {
  readonly secret: Buffer;
  readonly recoveryCodes: readonly string[];
  readonly factorId: string;
}

/** Gives a person an authenticator app, by the code before the present one, so that the present one is still unused. */
export async function addTotp(app: TestApp, person: Person): Promise<AddedTotp> {
  const path = '/api/v1/me/factors/totp';
  const { data } = expectStatus(201, await app.call('POST', path, as(person))).body;
  const secret = fromBase32(data.secret as string);
  const enter = (): Promise<Answer> => app.post(`${path}/confirm`, { code: codeFor(app, secret, -1) }, as(person));
  // The code before the present one is too old when a new one begins meanwhile.
  let added = await enter();
  if (added.status === 401) added = await enter();
  const { id, recovery_codes: recoveryCodes } = expectStatus(200, added).body.data;
  return { secret, recoveryCodes, factorId: id as string };
}
