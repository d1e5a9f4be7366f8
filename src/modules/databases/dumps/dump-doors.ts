import { rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { listenIn } from '../../../platform/egress/directory-socket.js';
import type { Mount } from '../../../platform/isolation/isolation-spec.js';
import { ProcessDirectories } from '../../../platform/isolation/process-directories.js';
import { DatabaseAccess } from '../database-access.js';
import { DatabasesSettings } from '../databases.settings.js';
import { PlainConnection } from '../plain-connection.js';

/** The directory of the socket inside of an isolation. */
export const DOOR = '/run/postgresql';
/** The name that clients of PostgreSQL expect, with the port that they use when none is named. */
const SOCKET = '.s.PGSQL.5432';
/** `pg_dump` opens one. */
const MOST_CONNECTIONS = 4;

export interface DumpDoor {
  readonly mount: Mount;
  /** Why a connection to the database could not be opened. */
  readonly failure: unknown;
  /** Ends all connections, and removes the socket. */
  readonly close: () => Promise<void>;
}

/** Lets a program in isolation reach one database as its owner, at a socket. No password is asked for. */
@Injectable()
export class DumpDoors {
  private readonly directories: ProcessDirectories;

  constructor(
    private readonly access: DatabaseAccess,
    settings: DatabasesSettings,
  ) {
    this.directories = new ProcessDirectories(settings.exportsDirectory);
  }

  async open(databaseId: string, signal: AbortSignal): Promise<DumpDoor> {
    const directory = await this.directories.make();
    const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
    const sockets = new Set<Socket>();
    let failure: unknown;
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
      this.carry(socket, databaseId, signal).catch((error: unknown) => {
        failure ??= error;
        socket.destroy();
      });
    });
    server.maxConnections = MOST_CONNECTIONS;
    try {
      const listening = await listenIn(directory, SOCKET, server);
      return {
        mount: { from: directory, to: DOOR },
        get failure() {
          return failure;
        },
        close: async () => {
          for (const socket of sockets) socket.destroy();
          await listening.close();
          await remove();
        },
      };
    } catch (error) {
      await remove();
      throw error;
    }
  }

  private async carry(socket: Socket, databaseId: string, signal: AbortSignal): Promise<void> {
    const database = new PlainConnection(await this.access.open({ databaseId, role: 'owner', signal }));
    pipeline(socket, database, socket, () => {
      database.destroy();
      socket.destroy();
    });
  }
}
