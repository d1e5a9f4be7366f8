import { messageOf } from './messages.js';

/** Why a client is refused, in the words and with the codes that clients of PostgreSQL know. */
export class WireRefusal extends Error {
  constructor(
    /** The SQLSTATE, for example `28P01`. */
    readonly code: string,
    message: string,
    readonly hint?: string,
  ) {
    super(message);
    this.name = 'WireRefusal';
  }

  /** The error as PostgreSQL sends one that ends the connection. */
  get packet(): Buffer {
    const fields = ['SFATAL', 'VFATAL', `C${this.code}`, `M${withoutZeros(this.message)}`];
    if (this.hint !== undefined) fields.push(`H${withoutZeros(this.hint)}`);
    return messageOf('E', Buffer.from(`${fields.join('\0')}\0\0`));
  }
}

const withoutZeros = (text: string): string => text.replaceAll('\0', '');

/** PostgreSQL says the same when its administrator stops it. Drivers then connect again. */
export const sessionEnded = (hint?: string): WireRefusal =>
  new WireRefusal('57P01', 'terminating connection due to administrator command', hint);
