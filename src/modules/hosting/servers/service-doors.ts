import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request as requestHttp, createServer, type ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { listenIn } from '../../../platform/egress/directory-socket.js';
import type { IsolatedProgram } from '../../../platform/isolation/isolated-program.js';
import type { Mount } from '../../../platform/isolation/isolation-spec.js';
import { Log } from '../../../platform/logging/log.js';
import { tokenKindOf } from '../../auth/token-format.js';
import { HostingSettings } from '../hosting.settings.js';
import { removeLeftDirectories } from './left-directories.js';

const DOOR_DIRECTORY = '/run/service';
const DOOR_SOCKET = 'api';
/** The hyphen tells it from the trees of deploys beside it. */
const DIRECTORY = 'app-doors';

/** Only the models are behind the door. What else the service does, an app reaches by its network if it may. */
const OPEN_PATHS = '/api/v1/ai/';
const KEY_KINDS: readonly (string | undefined)[] = ['pat', 'sel', 'org'];
const MAX_CONNECTIONS = 64;
const MAX_HEADER_BYTES = 16_384;
/** A little longer than the API takes for the longest answer of a model. */
const LONGEST_MS = 16 * 60_000;
/** How long a key that the API has refused is refused here, so that an app cannot make the API look it up again. */
const REFUSED_FOR_MS = 10_000;
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'forwarded',
  'x-real-ip',
  'cookie',
  'set-cookie',
  'strict-transport-security',
]);

/** What a server needs to be launched with a door. */
export interface PreparedDoor {
  readonly mounts: readonly Mount[];
  /** Must be called when the program runs; the door closes with it. */
  readonly follow: (program: IsolatedProgram) => void;
  /** Must be called instead of {@link follow} when the program did not start. */
  readonly discard: () => void;
}

/**
 * Lets servers of apps call models of this service at a local address, wherever the API is and whether or not apps have
 * a network. Only keys that stand in the variables of the deploy open it, so that an app cannot try others from here.
 */
@Injectable()
export class ServiceDoors {
  private sweeping: Promise<void> | undefined;

  constructor(
    private readonly settings: HostingSettings,
    private readonly log: Log,
  ) {}

  /** Prepares a door for a server with these variables. Returns null when none of them is an API key. */
  async prepare(variables: Readonly<Record<string, string>>): Promise<PreparedDoor | null> {
    const keys = Object.values(variables).filter((value) => KEY_KINDS.includes(tokenKindOf(value)));
    if (keys.length === 0) return null;
    const directory = await this.makeDirectory();
    const door = new Door(keys, this.settings.apiUrl, (error) => {
      this.log.warn({ error }, 'The API did not answer an app. APPS_API_URL says where the API is.');
    });
    const remove = (): void => {
      rm(directory, { recursive: true, force: true }).catch(() => undefined);
    };
    try {
      const { close } = await listenIn(directory, DOOR_SOCKET, door.server);
      const discard = (): void => {
        door.server.closeAllConnections();
        void close().then(remove, remove);
      };
      return {
        mounts: [{ from: directory, to: DOOR_DIRECTORY }],
        follow: (program) => {
          void program.gone.then(discard);
        },
        discard,
      };
    } catch (error) {
      remove();
      throw error;
    }
  }

  /** Users of isolated programs can traverse the directory, but see nothing of it but what is mounted. */
  private async makeDirectory(): Promise<string> {
    const parent = join(this.settings.serversDirectory, DIRECTORY);
    await mkdir(parent, { recursive: true, mode: 0o755 });
    this.sweeping ??= removeLeftDirectories(parent);
    await this.sweeping;
    const directory = await mkdtemp(join(parent, `${process.pid}-`));
    await chmod(directory, 0o755);
    return directory;
  }
}

/** Passes calls of one app on to the API. */
class Door {
  readonly server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: LONGEST_MS }, (call, answer) => {
    this.passOn(call, answer);
  });
  private readonly keys: ReadonlySet<string>;
  private readonly refusedUntil = new Map<string, number>();

  constructor(
    keys: readonly string[],
    private readonly apiUrl: URL,
    private readonly report: (error: Error) => void,
  ) {
    this.keys = new Set(keys.map(fingerprint));
    this.server.maxConnections = MAX_CONNECTIONS;
  }

  private passOn(call: IncomingMessage, answer: ServerResponse): void {
    const url = URL.canParse(call.url ?? '', 'http://door') ? new URL(call.url!, 'http://door') : undefined;
    if (url === undefined || !url.pathname.startsWith(OPEN_PATHS)) {
      refuse(answer, NOT_HERE);
      return;
    }
    const { pathname, search } = url;
    const key = fingerprint((call.headers.authorization ?? '').replace(/^bearer +/i, ''));
    if (!this.keys.has(key) || performance.now() < (this.refusedUntil.get(key) ?? 0)) {
      refuse(answer, NOT_A_KEY);
      return;
    }
    const base = this.apiUrl;
    const send = base.protocol === 'https:' ? requestHttps : requestHttp;
    const passed = send(
      {
        host: base.hostname.replace(/^\[|\]$/g, ''),
        port: base.port,
        path: `${base.pathname.replace(/\/$/, '')}${pathname}${search}`,
        method: call.method,
        headers: passedOn(call.headers),
        timeout: LONGEST_MS,
      },
      (response) => {
        if (response.statusCode === 401) this.refusedUntil.set(key, performance.now() + REFUSED_FOR_MS);
        answer.writeHead(response.statusCode ?? 502, passedOn(response.headers));
        answer.flushHeaders();
        pipeline(response, answer, () => undefined);
      },
    );
    passed.once('timeout', () => passed.destroy(new Error('The API did not answer in time.')));
    passed.once('error', (error) => {
      if (answer.destroyed) return;
      this.report(error);
      if (answer.headersSent) answer.destroy();
      else refuse(answer, UNAVAILABLE);
    });
    // A caller that hangs up must end the call at the API as well, because it costs money.
    answer.once('close', () => passed.destroy());
    // Not a pipeline, which would end the connection of a caller that is to be answered.
    call.pipe(passed);
  }
}

/** Keys are compared by their hash, so that how long a comparison takes says nothing about them. */
const fingerprint = (key: string): string => createHash('sha256').update(key).digest('base64');

function passedOn(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.has(name) && !name.startsWith('x-forwarded-'));
  return Object.fromEntries(kept) as Record<string, string | string[]>;
}

interface Refusal {
  readonly type: string;
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly retry_after?: number;
}

/** They have the shape and the codes of the API's own errors. */
const NOT_HERE: Refusal = {
  type: 'not_found_error',
  code: 'route_not_found',
  status: 404,
  message: `Only ${OPEN_PATHS}… can be called at this address.`,
};
const NOT_A_KEY: Refusal = {
  type: 'auth_error',
  code: 'invalid_api_key',
  status: 401,
  message: 'The API key is not a variable of this deploy, or no longer works.',
};
const UNAVAILABLE: Refusal = {
  type: 'api_error',
  code: 'service_unavailable',
  status: 503,
  message: 'The API is temporarily unavailable. Retry after 2 s.',
  retry_after: 2,
};

function refuse(answer: ServerResponse, error: Refusal): void {
  answer.writeHead(error.status, {
    'content-type': 'application/json; charset=utf-8',
    connection: 'close',
    ...(error.retry_after === undefined ? {} : { 'retry-after': String(error.retry_after) }),
  });
  answer.end(JSON.stringify({ error }));
}
