import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type IncomingMessage, request as requestHttp, createServer, type ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { listenIn } from '../../../platform/egress/directory-socket.js';
import { type LocalService, LocalServices } from '../../../platform/egress/local-service.js';
import type { IsolatedProgram } from '../../../platform/isolation/isolated-program.js';
import type { Mount } from '../../../platform/isolation/isolation-spec.js';
import { ProcessDirectories } from '../../../platform/isolation/process-directories.js';
import { Log } from '../../../platform/logging/log.js';
import { tokenKindOf } from '../../auth/token-format.js';
import { HostingSettings } from '../hosting.settings.js';

const DOOR_DIRECTORY = '/run/service';
const DOOR_SOCKET = 'api';
/** The hyphen tells it from the trees of deploys beside it. */
const DIRECTORY = 'app-doors';

/**
 * Models and buckets are behind the door. What else the service does, an app reaches by its network if it may.
 */
const MODELS = '/api/v1/ai/';
const BUCKETS = '/s3/';
const KEY_KINDS: readonly (string | undefined)[] = ['pat', 'sel', 'org'];
/** The form of the id of an access key of buckets. */
const ACCESS_KEY_ID = /^AK[A-Z0-9]{18}$/;
/** The places of the id in a signed request of S3: a header or a parameter. */
const CREDENTIAL = /(?:Credential=|X-Amz-Credential=)(AK[A-Z0-9]{18})(?:\/|%2F)/i;
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
 * Lets servers of apps reach what belongs to them at local addresses, wherever it is and whether or not apps have a
 * network: databases that are attached to the project, and models and buckets of this service. Only keys that stand in
 * the variables of the deploy open the latter, so that an app cannot try others from here.
 */
@Injectable()
export class ServiceDoors {
  private readonly directories: ProcessDirectories;

  constructor(
    private readonly settings: HostingSettings,
    private readonly log: Log,
  ) {
    this.directories = new ProcessDirectories(join(settings.serversDirectory, DIRECTORY));
  }

  /**
   * Prepares a door for a server with these variables and attached services. Returns null when there are no services,
   * and no variable is a key.
   */
  async prepare(
    variables: Readonly<Record<string, string>>,
    services: readonly LocalService[],
  ): Promise<PreparedDoor | null> {
    const keys = keysIn(Object.values(variables));
    if (keys.models.length + keys.buckets.length + services.length === 0) return null;
    const directory = await this.directories.make();
    const door = new Door(keys, this.settings.apiUrl, (error) => {
      this.log.warn({ error }, 'The API did not answer an app. APPS_API_URL says where the API is.');
    });
    const remove = (): void => {
      rm(directory, { recursive: true, force: true }).catch(() => undefined);
    };
    try {
      const { close } = await listenIn(directory, DOOR_SOCKET, door.server);
      const attached = await LocalServices.listen(directory, services, (error) => {
        this.log.warn({ error }, 'A service that is attached to an app did not answer.');
      });
      const discard = (): void => {
        door.server.closeAllConnections();
        void Promise.all([attached.close(), close()]).then(remove, remove);
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
}

interface DoorKeys {
  readonly models: readonly string[];
  readonly buckets: readonly string[];
}

const keysIn = (values: readonly string[]): DoorKeys => ({
  models: values.filter((value) => KEY_KINDS.includes(tokenKindOf(value))),
  buckets: values.filter((value) => ACCESS_KEY_ID.test(value)),
});

/** Passes calls of one app on to the API. */
class Door {
  readonly server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: LONGEST_MS }, (call, answer) => {
    this.passOn(call, answer);
  });
  private readonly models: ReadonlySet<string>;
  private readonly buckets: ReadonlySet<string>;
  private readonly refusedUntil = new Map<string, number>();

  constructor(
    { models, buckets }: DoorKeys,
    private readonly apiUrl: URL,
    private readonly report: (error: Error) => void,
  ) {
    this.models = new Set(models.map(fingerprint));
    this.buckets = new Set(buckets);
    this.server.maxConnections = MAX_CONNECTIONS;
  }

  private passOn(call: IncomingMessage, answer: ServerResponse): void {
    const url = URL.canParse(call.url ?? '', 'http://door') ? new URL(call.url!, 'http://door') : undefined;
    if (url?.pathname.startsWith(BUCKETS) === true) this.passToBuckets(call, answer);
    else if (url?.pathname.startsWith(MODELS) === true) this.passToModels(call, answer, url);
    else refuse(answer, NOT_HERE);
  }

  private passToModels(call: IncomingMessage, answer: ServerResponse, { pathname, search }: URL): void {
    const key = fingerprint((call.headers.authorization ?? '').replace(/^bearer +/i, ''));
    if (!this.models.has(key) || performance.now() < (this.refusedUntil.get(key) ?? 0)) refuse(answer, NOT_A_KEY);
    else
      this.send(call, answer, {
        path: pathname + search,
        headers: passedOn(call.headers),
        refused: () => this.refusedUntil.set(key, performance.now() + REFUSED_FOR_MS),
      });
  }

  /** The path and the headers are signed, the host with them, so that nothing of them may change. */
  private passToBuckets(call: IncomingMessage, answer: ServerResponse): void {
    const id = CREDENTIAL.exec(call.headers.authorization ?? '')?.[1] ?? CREDENTIAL.exec(call.url ?? '')?.[1];
    if (id === undefined || !this.buckets.has(id)) refuse(answer, NOT_A_KEY);
    else
      this.send(call, answer, {
        path: call.url!,
        headers: { ...passedOn(call.headers), ...(call.headers.host === undefined ? {} : { host: call.headers.host }) },
        refused: () => undefined,
      });
  }

  private send(call: IncomingMessage, answer: ServerResponse, { path, headers, refused }: PassedCall): void {
    const base = this.apiUrl;
    const send = base.protocol === 'https:' ? requestHttps : requestHttp;
    const passed = send(
      {
        host: base.hostname.replace(/^\[|\]$/g, ''),
        port: base.port,
        path: base.pathname.replace(/\/$/, '') + path,
        method: call.method,
        headers,
        timeout: LONGEST_MS,
      },
      (response) => {
        if (response.statusCode === 401) refused();
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

interface PassedCall {
  readonly path: string;
  readonly headers: Record<string, string | string[]>;
  /** Called when the API refuses the key. */
  readonly refused: () => void;
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
  message: `Only ${MODELS}… and ${BUCKETS}… can be called at this address.`,
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
