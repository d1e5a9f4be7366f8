import { ValidateBy } from 'class-validator';

/** Limits a string to `limitBytes` bytes of UTF-8. A limit on characters would allow four times as many bytes. */
export function MaxBytes(limitBytes: number): PropertyDecorator {
  return ValidateBy({
    name: 'maxBytes',
    constraints: [limitBytes],
    validator: {
      validate: (value: unknown) => typeof value === 'string' && Buffer.byteLength(value) <= limitBytes,
      defaultMessage: (fault) => `${fault?.property ?? 'The field'} must be at most ${limitBytes} bytes of UTF-8`,
    },
  });
}
