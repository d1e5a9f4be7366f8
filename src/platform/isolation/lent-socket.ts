import { once } from 'node:events';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The name is short, because the path of a socket has at most 107 bytes. */
const SOCKET = 's';

/** A listening socket for a program. It has a path on the host only. */
export interface LentSocket {
  readonly descriptor: number;
  readonly path: string;
  /** Call it when the program is gone. */
  readonly remove: () => void;
}

/** Passes a new socket to `launch`, after which only the program can accept its connections. */
export async function lendSocket<T>(launch: (socket: LentSocket) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'service-app-'));
  const remove = (): void => {
    rm(directory, { recursive: true, force: true }).catch(() => undefined);
  };
  const server = createServer();
  try {
    server.listen(join(directory, 'unnamed'));
    await once(server, 'listening');
    const path = join(directory, SOCKET);
    // Closing the server below removes the socket's original name. The program stays reachable under this one.
    await rename(join(directory, 'unnamed'), path);
    const { fd: descriptor } = (server as unknown as { _handle: { fd: number } })._handle;
    return await launch({ descriptor, path, remove });
  } catch (error) {
    remove();
    throw error;
  } finally {
    server.close();
  }
}
