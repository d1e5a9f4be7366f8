import { ValidateBy } from 'class-validator';

/** What a passkey signed is a few hundred bytes, its attestation some thousand. */
const MAX_BYTES = 32_768;

/** What browsers send and take is theirs to define (WebAuthn, level 3), so that only its place is described. */
export const PASSKEY_FIELD = {
  type: 'object' as const,
  additionalProperties: true,
  example: { id: '…', type: 'public-key' },
};
export const PASSKEY_OPTIONS = { type: 'object' as const, additionalProperties: true, example: { challenge: '…' } };

/** An object of a bounded size. Whether it is the answer of a passkey shows when it is checked. */
export const IsPasskeyAnswer = (): PropertyDecorator =>
  ValidateBy({
    name: 'isPasskeyAnswer',
    validator: {
      validate: (value: unknown) =>
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        Buffer.byteLength(JSON.stringify(value)) <= MAX_BYTES,
      defaultMessage: (fault) => `${fault?.property ?? 'the field'} must be the answer of a passkey as an object`,
    },
  });
