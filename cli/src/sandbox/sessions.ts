import type { Call, Language, Service } from '@service/client';
import type { Ended } from '../commands/sandbox-run.js';
import { printed } from '../streamed-run.js';

const PATH = '/api/v1/sandbox/sessions';

/** A session, as the service describes it. */
export interface Session {
  readonly id: string;
  readonly name?: string;
  readonly language: Language;
  readonly status: string;
  readonly last_used_at: string;
}

export interface SessionFile {
  readonly path: string;
  readonly type: string;
  readonly size_bytes: number;
  readonly modified_at: string;
}

/** Code, or a command of the shell. */
export interface Work {
  readonly code?: string;
  readonly command?: string;
  readonly stdin?: string;
  readonly artifacts?: true;
}

interface SessionPage {
  readonly data: readonly Session[];
  readonly meta: { readonly next_cursor?: string };
}

/** Sessions of the sandbox. */
export class Sessions {
  constructor(private readonly service: Service) {}

  async create(body: object): Promise<Session> {
    return (await this.json<{ data: Session }>({ method: 'POST', path: PATH, body })).data;
  }

  async list(status: string | undefined): Promise<Session[]> {
    const all: Session[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: 100, status, cursor };
      const { data, meta }: SessionPage = await this.json<SessionPage>({ method: 'GET', path: PATH, query });
      all.push(...data);
      cursor = meta.next_cursor;
    } while (cursor !== undefined);
    return all;
  }

  async get(id: string): Promise<Session> {
    return (await this.json<{ data: Session }>({ method: 'GET', path: pathOf(id) })).data;
  }

  async end(id: string): Promise<Session> {
    return (await this.json<{ data: Session }>({ method: 'DELETE', path: pathOf(id) })).data;
  }

  /** Returns the result without printing anything. */
  async run(id: string, work: Work): Promise<Ended> {
    return (await this.json<{ data: Ended }>(callOf(id, work))).data;
  }

  /** Prints the output while the program runs. What was printed is not repeated, so it is sent once. */
  async stream(id: string, work: Work, signal?: AbortSignal): Promise<Ended> {
    const headers = { accept: 'text/event-stream' };
    const call = { ...callOf(id, work), headers, isStream: true };
    const { body } = await this.service.request(call, { signal, maxRetries: 0 });
    const { result, error } = await printed(body!);
    if (error !== undefined) throw new Error((error.error as { readonly message?: string }).message ?? 'It was lost.');
    if (result === undefined) throw new TypeError('The connection broke off before the result.');
    return result as Ended;
  }

  async files(id: string, path: string): Promise<SessionFile[]> {
    const call: Call = { method: 'GET', path: `${pathOf(id)}/files`, query: path === '' ? {} : { path } };
    return (await this.json<{ data: SessionFile[] }>(call)).data;
  }

  async read(id: string, path: string): Promise<Buffer> {
    const response = await this.service.request({ method: 'GET', path: contentOf(id), query: { path } });
    return Buffer.from(await response.arrayBuffer());
  }

  async write(id: string, path: string, content: Buffer): Promise<void> {
    const headers = { 'content-type': 'application/octet-stream' };
    const body = new Uint8Array(content);
    await this.service.request({ method: 'PUT', path: contentOf(id), query: { path }, body, headers });
  }

  async remove(id: string, path: string): Promise<void> {
    await this.service.request({ method: 'DELETE', path: contentOf(id), query: { path } });
  }

  private async json<T>(call: Call): Promise<T> {
    return (await (await this.service.request(call)).json()) as T;
  }
}

const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;
const contentOf = (id: string): string => `${pathOf(id)}/files/content`;
const callOf = (id: string, work: Work): Call => ({
  method: 'POST',
  path: `${pathOf(id)}/${work.code === undefined ? 'shell' : 'runs'}`,
  body: work,
});
