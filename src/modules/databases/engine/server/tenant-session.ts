import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import type { Client } from 'pg';
import { authenticationOf, keyDataOf, messageOf } from '../../wire/protocol/messages.js';
import { readStartup } from '../../wire/protocol/read-packets.js';
import { parseStartupPacket, type StartupMessage } from '../../wire/protocol/startup-packet.js';

/** What pg keeps of a connection: the stream below it, and the key of its session. */
interface ClientParts {
  readonly connection: NodeJS.EventEmitter & { readonly stream: Socket };
  readonly processID: number;
  readonly secretKey: number;
}

export interface SessionTarget {
  readonly host: string;
  readonly port: number;
  /** Returns a client for the role that the startup message names. */
  readonly client: (startup: StartupMessage) => Client;
}

const IDLE = Buffer.from('I');

/**
 * Opens a connection on which the caller speaks the protocol from the startup message on, to a server that asks for a
 * password: the session is begun by a client of ours, and its answers are repeated for the caller.
 */
export function openTenantSession(target: SessionTarget): Duplex {
  // A caller that has ended its side is not gone: the server may still be busy for it, which has to be cancelled.
  const [caller, ours] = duplexPair({ allowHalfOpen: true });
  begin(ours, target).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : 'The database cannot be reached.';
    ours.end(messageOf('E', Buffer.from(`SFATAL\0VFATAL\0C08006\0M${message.slice(0, 500)}\0\0`)));
    ours.resume();
  });
  // When the server has ended, there is nobody left to write to.
  caller.once('end', () => caller.end());
  for (const side of [caller, ours]) side.on('error', () => undefined);
  // The end of a side travels, and its destruction does not.
  caller.once('close', () => ours.destroy());
  return caller;
}

async function begin(ours: Duplex, target: SessionTarget): Promise<void> {
  const packet = await readStartup(ours);
  const startup = parseStartupPacket(packet);
  if (startup.kind === 'cancel') {
    ours.resume();
    await forward(packet, target);
    ours.end();
    return;
  }
  if (startup.kind !== 'startup') throw new Error('The connection does not begin with a startup message.');

  const client = target.client(startup);
  const parts = client as unknown as ClientParts;
  const said: Buffer[] = [];
  client.on('error', () => undefined);
  parts.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
    said.push(messageOf('S', Buffer.from(`${parameterName}\0${parameterValue}\0`)));
  });
  await client.connect();
  const { stream } = parts.connection;
  if (ours.destroyed) {
    stream.destroy();
    return;
  }
  // The server waits for a question now, so nothing is lost between the two readers.
  stream.removeAllListeners('data');
  const key = keyDataOf({ processId: parts.processID >>> 0, secret: parts.secretKey >>> 0 });
  ours.write(Buffer.concat([authenticationOf('ok'), ...said, key, messageOf('Z', IDLE)]));
  join(ours, stream);
}

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

function join(one: Duplex, other: Duplex): void {
  one.pipe(other);
  other.pipe(one);
  one.once('close', () => other.destroy());
  // What the server said last is still delivered.
  other.once('close', () => one.end());
  other.on('error', () => undefined);
  other.resume();
}

/** A request to cancel needs no password: the key in it is the server's. */
async function forward(packet: Buffer, { host, port }: SessionTarget): Promise<void> {
  const server = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
  server.on('error', () => undefined);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(packet.length + 4);
  server.end(Buffer.concat([head, packet]));
  server.resume();
  await once(server, 'close');
}
