import { WireRefusal } from './wire-refusal.js';

/** What a client may send before the protocol begins. PostgreSQL's own bound on a startup packet is the same. */
const MAX_STARTUP_BYTES = 10_000;
const MIN_STARTUP_BYTES = 8;
const MAX_PARAMETERS = 100;

const CANCEL_CODE = 80_877_102;
const TLS_CODE = 80_877_103;
const GSS_CODE = 80_877_104;
/** A number of ours, next to those of PostgreSQL (1234.5678 …), which no version of the protocol can have. */
const TICKET_CODE = 80_877_150;
const MAJOR_VERSION = 3;
const EXTENSION_PREFIX = '_pq_.';

export interface CancelRequest {
  readonly kind: 'cancel';
  readonly processId: number;
  readonly secret: number;
}

export interface StartupMessage {
  readonly kind: 'startup';
  readonly minorVersion: number;
  readonly parameters: ReadonlyMap<string, string>;
  /** Options of the protocol that a newer client offers. We know none. */
  readonly extensions: readonly string[];
}

export type StartupPacket =
  | { readonly kind: 'tls' }
  | { readonly kind: 'gss' }
  | CancelRequest
  | { readonly kind: 'ticket'; readonly ticket: string }
  | StartupMessage;

/** Checks the length that a startup packet declares, which includes its own four bytes. @throws {WireRefusal} */
export function requireStartupLength(bytes: number): void {
  if (bytes < MIN_STARTUP_BYTES || bytes > MAX_STARTUP_BYTES)
    throw new WireRefusal('08P01', 'invalid length of startup packet');
}

/** Reads what follows the length of a startup packet. It is linear in the length. @throws {WireRefusal} */
export function parseStartupPacket(packet: Buffer): StartupPacket {
  requireStartupLength(packet.length + 4);
  const code = packet.readUInt32BE(0);
  const rest = packet.subarray(4);
  switch (code) {
    case TLS_CODE:
    case GSS_CODE:
      if (rest.length > 0) throw new WireRefusal('08P01', 'invalid length of startup packet');
      return { kind: code === TLS_CODE ? 'tls' : 'gss' };
    case CANCEL_CODE:
      if (rest.length !== 8) throw new WireRefusal('08P01', 'invalid length of cancel request');
      return { kind: 'cancel', processId: rest.readUInt32BE(0), secret: rest.readUInt32BE(4) };
    case TICKET_CODE:
      return { kind: 'ticket', ticket: rest.toString('latin1') };
    default:
      if (code >>> 16 !== MAJOR_VERSION)
        throw new WireRefusal('0A000', `unsupported frontend protocol ${code >>> 16}.${code & 0xffff}`);
      return { kind: 'startup', minorVersion: code & 0xffff, ...parametersOf(rest) };
  }
}

/** Names and values, each ended by a zero, and one more zero at the end. */
function parametersOf(bytes: Buffer): Pick<StartupMessage, 'parameters' | 'extensions'> {
  const texts: string[] = [];
  let start = 0;
  while (start < bytes.length && bytes[start] !== 0) {
    const end = bytes.indexOf(0, start);
    if (end === -1 || texts.length >= 2 * MAX_PARAMETERS) throw invalidLayout();
    texts.push(bytes.toString('utf8', start, end));
    start = end + 1;
    // A value may be empty, and a name may not.
    if (texts.length % 2 === 1 && bytes[start] === 0) {
      texts.push('');
      start += 1;
    }
  }
  if (start !== bytes.length - 1 || texts.length % 2 === 1) throw invalidLayout();

  const parameters = new Map<string, string>();
  const extensions: string[] = [];
  for (let index = 0; index < texts.length; index += 2) {
    const name = texts[index]!;
    if (name.startsWith(EXTENSION_PREFIX)) extensions.push(name);
    else parameters.set(name, texts[index + 1]!);
  }
  return { parameters, extensions };
}

const invalidLayout = (): WireRefusal =>
  new WireRefusal('08P01', 'invalid startup packet layout: expected terminator as last byte');

/** Writes a startup message of version 3.0. The values must not contain zeros. */
export function startupMessageOf(parameters: Iterable<readonly [string, string]>): Buffer {
  const texts = [...parameters].flatMap(([name, value]) => [name, value]).join('\0');
  const body = Buffer.from(`${texts}\0\0`);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length, 0);
  head.writeUInt32BE(MAJOR_VERSION << 16, 4);
  return Buffer.concat([head, body]);
}

/** Writes one of the packets that have a code instead of a version. */
export function codedPacketOf(code: 'cancel' | 'tls' | 'ticket', body: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length, 0);
  head.writeUInt32BE({ cancel: CANCEL_CODE, tls: TLS_CODE, ticket: TICKET_CODE }[code], 4);
  return Buffer.concat([head, body]);
}

export function cancelPacketOf({ processId, secret }: { processId: number; secret: number }): Buffer {
  const body = Buffer.alloc(8);
  body.writeUInt32BE(processId, 0);
  body.writeUInt32BE(secret, 4);
  return codedPacketOf('cancel', body);
}
