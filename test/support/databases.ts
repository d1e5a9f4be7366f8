import { as, expectStatus, Make, type Person, send, uniqueName } from './make.js';
import { type Answer, eventually, type TestApp } from './test-app.js';

export const DATABASES = '/api/v1/databases';

/** An owner whose databases a test creates. */
export class Databases {
  readonly make: Make;
  owner!: Person;
  key!: string;

  constructor(readonly app: TestApp) {
    this.make = new Make(app);
  }

  async begin(plan: 'free' | 'builder' | 'pro' = 'pro'): Promise<void> {
    this.owner = await this.make.person({ plan });
    this.key = await this.make.key(this.owner);
  }

  get orgId(): string {
    return this.owner.organization.id;
  }

  create(body: object = {}, key = this.key): Promise<Answer> {
    return this.app.post(DATABASES, { name: uniqueName('db'), ...body }, as(key));
  }

  async created(body: object = {}): Promise<any> {
    return expectStatus(201, await this.create(body)).body.data;
  }

  /** Creates a database and waits until it is ready. */
  async ready(body: object = {}): Promise<any> {
    return this.until((await this.created(body)).id as string, 'ready');
  }

  async get(id: string): Promise<any> {
    return expectStatus(200, await this.app.fetch(`${DATABASES}/${id}`, as(this.key))).body.data;
  }

  /** Waits for a state, and returns the database. */
  async until(id: string, state: string): Promise<any> {
    let last: any;
    await eventually(async () => (last = await this.get(id)).state === state, `${id} is ${state}`, 15_000);
    return last;
  }

  change(id: string, body: object, key = this.key): Promise<Answer> {
    return send(this.app, ['PATCH', `${DATABASES}/${id}`], body, as(key));
  }

  delete(id: string, key = this.key): Promise<Answer> {
    return this.app.call('DELETE', `${DATABASES}/${id}`, as(key));
  }

  undelete(id: string, key = this.key): Promise<Answer> {
    return this.app.call('POST', `${DATABASES}/${id}/undelete`, as(key));
  }

  purge(id: string, key = this.key): Promise<Answer> {
    return this.app.call('POST', `${DATABASES}/${id}/purge`, as(key));
  }

  /** Waits until nothing is left of a database. */
  async gone(id: string): Promise<void> {
    const isGone = async (): Promise<boolean> =>
      (await this.app.fetch(`${DATABASES}/${id}`, as(this.key))).status === 404;
    await eventually(isGone, `${id} is gone`);
  }

  /** Deletes a database and waits until that is done. */
  async deleted(id: string): Promise<any> {
    expectStatus(204, await this.delete(id));
    return this.until(id, 'deleted');
  }

  async project(name = uniqueName('project')): Promise<any> {
    return expectStatus(201, await this.app.post('/api/v1/projects', { name }, as(this.key))).body.data;
  }
}

export const codeOf = ({ status, body }: Answer): [number, string] => [status, body?.error?.code];
