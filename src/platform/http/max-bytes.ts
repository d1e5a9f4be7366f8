import { ValidateBy } from 'class-validator';

/** At most so many bytes of UTF-8: a limit on characters would let four times as much through. */
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
