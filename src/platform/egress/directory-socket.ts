import { chmod, open } from 'node:fs/promises';
import type { Server } from 'node:net';

/** A server that listens on a Unix socket in a directory. */
export interface DirectorySocket {
  /** Stops listening and waits for the end of all connections, which the caller closes meanwhile. */
  readonly close: () => Promise<void>;
}

/** Lets a server listen on a socket in a directory that no isolated program can write to. */
export async function listenIn(directory: string, name: string, server: Server): Promise<DirectorySocket> {
  // A socket's path has room for 107 bytes, which the directory's path may exceed. The descriptor stays open until
  // the end, because the socket is removed by the same path.
  const handle = await open(directory, 'r');
  try {
    const path = `/proc/self/fd/${handle.fd}/${name}`;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, () => {
        resolve();
      });
    });
    // Access is controlled by the directory: every program that can enter it may use the socket.
    await chmod(path, 0o666);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    close: async () => {
      await new Promise((resolve) => {
        server.close(resolve);
      });
      await handle.close();
    },
  };
}
