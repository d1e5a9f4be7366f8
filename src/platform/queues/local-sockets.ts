import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { createConnection, type Server, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { type DirectorySocket, listenIn } from '../egress/directory-socket.js';

const DIRECTORY = 'jobs';
/** Machines may share the directory, but not the sockets in it. */
const PREFIX = `${hostname()}-`;

/** The sockets of workers, in a directory that only the service can enter. */
export class LocalSockets {
  private readonly directory: string;

  constructor(dataDir: string) {
    this.directory = join(dataDir, DIRECTORY);
  }

  /** Lets the server of this process listen. The sockets of workers that were killed are removed. */
  async listen(server: Server): Promise<DirectorySocket> {
    // The mode is that of the last directory alone: servers of other users have to reach what is beside it.
    await mkdir(dirname(this.directory), { recursive: true });
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    for (const name of await this.names()) if (!isAlive(pidOf(name))) await rm(join(this.directory, name));
    return listenIn(this.directory, `${PREFIX}${process.pid}-${randomBytes(4).toString('hex')}.sock`, server);
  }

  /** Returns the names of the sockets of this machine. */
  async names(): Promise<string[]> {
    const names = await readdir(this.directory).catch(() => []);
    return names.filter((name) => name.startsWith(PREFIX));
  }

  /** @throws {Error} when nobody listens. */
  async connect(name: string): Promise<Socket> {
    // A socket's path has room for 107 bytes, which the directory's path may exceed.
    const handle = await open(this.directory, 'r');
    try {
      const socket = createConnection(`/proc/self/fd/${handle.fd}/${name}`);
      await new Promise<void>((resolve, reject) => {
        socket.once('connect', resolve);
        socket.once('error', reject);
      });
      return socket;
    } finally {
      await handle.close();
    }
  }
}

const pidOf = (name: string): number => Number.parseInt(name.slice(PREFIX.length), 10);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
