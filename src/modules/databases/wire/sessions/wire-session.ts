import type { Duplex } from 'node:stream';
import type { DatabaseRole } from '../../engine/database-engine.js';
import type { WireDatabase } from '../../persistence/wire-access.store.js';
import { MessageBoundary } from '../protocol/message-boundary.js';
import { sessionEnded, type WireRefusal } from '../protocol/wire-refusal.js';

/** How long a server may take to end a session whose client has left. Then its statement is cancelled. */
const LEAVE_WITHIN_MS = 1_000;
const TERMINATE = 'X';

/** The key of a session: the server's own, or the one that its client got. */
export interface SessionKey {
  readonly processId: number;
  readonly secret: number;
}

/** Who is connected to what. */
export interface WireAccess extends WireDatabase {
  readonly role: DatabaseRole;
  /** Undefined for a connection of the service itself. */
  readonly credentialId: string | undefined;
}

interface Ends {
  readonly client: Duplex;
  readonly server: Duplex;
  /** Cancels what the server is doing for this session. */
  readonly cancel: () => Promise<void>;
}

/** Carries bytes between a client that has signed in and the server of its database, until one of them leaves. */
export class WireSession {
  private readonly fromClient = new MessageBoundary();
  private readonly fromServer = new MessageBoundary();
  readonly ended: Promise<void>;

  constructor(
    readonly access: WireAccess,
    private readonly ends: Ends,
  ) {
    this.ended = this.carry();
  }

  /** Asks the server to cancel the running statement. It never throws. */
  async cancel(): Promise<void> {
    await this.ends.cancel().catch(() => undefined);
  }

  /** Ends the session from our side, with an error that the client can read if it is between two messages. */
  end(refusal: WireRefusal): void {
    const { client, server } = this.ends;
    server.off('data', this.forward);
    this.say(refusal);
    server.destroy();
    // A client that does not read its error is not waited for.
    setTimeout(() => client.destroy(), LEAVE_WITHIN_MS).unref();
  }

  private async carry(): Promise<void> {
    const { client, server } = this.ends;
    const closed = Promise.all([closedOf(client), closedOf(server)]);
    client.on('error', () => client.destroy());
    server.on('error', () => server.destroy());

    client.on('data', (chunk: Buffer) => {
      this.fromClient.take(chunk);
      if (!server.write(chunk)) client.pause();
    });
    server.on('drain', () => client.resume());
    server.on('data', this.forward);
    client.on('drain', () => server.resume());

    client.once('end', () => server.end());
    client.once('close', () => void this.leave());
    server.once('end', () => {
      this.say(sessionEnded());
    });
    server.once('close', () => {
      this.say(sessionEnded());
      setTimeout(() => client.destroy(), LEAVE_WITHIN_MS).unref();
    });
    // They were read packet by packet until now.
    client.resume();
    server.resume();
    await closed;
  }

  private readonly forward = (chunk: Buffer): void => {
    const { client, server } = this.ends;
    this.fromServer.take(chunk);
    if (!client.write(chunk)) server.pause();
  };

  /** Ends the client's stream. A message in the middle of another would be read as a part of it. */
  private say(refusal: WireRefusal): void {
    const { client } = this.ends;
    if (client.writableEnded || client.destroyed) return;
    const isHeard = this.fromServer.isReached && !this.fromServer.followsError && !this.hasSaidGoodbye;
    client.end(isHeard ? refusal.packet : undefined);
  }

  private get hasSaidGoodbye(): boolean {
    return this.fromClient.isReached && this.fromClient.lastMessage === TERMINATE;
  }

  /** The client is gone. A server that is busy would not notice until it is done. */
  private async leave(): Promise<void> {
    const { server } = this.ends;
    server.end();
    server.resume();
    if (server.destroyed) return;
    const timer = setTimeout(() => {
      void this.cancel().finally(() => server.destroy());
    }, LEAVE_WITHIN_MS);
    await closedOf(server);
    clearTimeout(timer);
  }
}

const closedOf = (stream: Duplex): Promise<void> =>
  stream.closed
    ? Promise.resolve()
    : new Promise((resolve) =>
        stream.once('close', () => {
          resolve();
        }),
      );
