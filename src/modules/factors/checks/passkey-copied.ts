import type { PasskeyRow } from '../persistence/passkeys.store.js';

/** A right signature whose counter is not above the last one: two devices hold the same passkey. */
export class PasskeyCopied extends Error {
  constructor(readonly passkey: PasskeyRow) {
    super('The counter of a passkey fell back.');
  }
}
