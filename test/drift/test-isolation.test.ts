import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Counter, register } from 'prom-client';
import { PROJECT_ROOT } from '../../src/platform/version.js';

/**
 * The test files of a worker share the modules of the service (docs/decisions/0100). So that no test passes because of
 * what another file left behind, the environment of a file puts back what it changed about the process, and the modules
 * keep nothing that a caller could notice.
 */
interface Environment {
  handleTestEvent(event: { name: string }): void;
  sharing<Result>(load: () => Result): Result;
  teardown(): Promise<void>;
}

const WorkerEnvironment = jest.requireActual<new (config: object) => Environment>('../support/worker-environment.cjs');
const variables = globalThis as unknown as Record<string, unknown>;

/** Lets a test file run that does nothing but `change`. */
async function afterFile(change: (environment: Environment) => void): Promise<void> {
  const environment = new WorkerEnvironment({ projectConfig: { globals: {}, fakeTimers: {} } });
  environment.handleTestEvent({ name: 'run_start' });
  change(environment);
  await environment.teardown();
}

describe('after a test file', () => {
  it('the global variables are those from before', async () => {
    const { fetch } = globalThis;
    await afterFile(() => {
      variables['canary'] = 1;
      variables['fetch'] = () => undefined;
      Reflect.deleteProperty(globalThis, 'structuredClone');
    });
    expect(variables).not.toHaveProperty('canary');
    expect(globalThis.fetch).toBe(fetch);
    expect(globalThis).toHaveProperty('structuredClone');
  });

  it('packages that keep what they know in a global variable still have it', async () => {
    await afterFile((environment) => environment.sharing(() => (variables['canary'] = 1)));
    expect(variables['canary']).toBe(1);
    delete variables['canary'];
  });

  it('the environment is that from before', async () => {
    const before = { ...process.env };
    await afterFile(() => {
      process.env['CANARY'] = '1';
      process.env['PATH'] = '/nowhere';
      delete process.env['HOME'];
    });
    expect({ ...process.env }).toEqual(before);
  });

  it('the process has its own functions, listeners and directory', async () => {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'service-test-')));
    const exit: unknown = Reflect.get(process, 'exit');
    const before = process.cwd();
    await afterFile(() => {
      process.exit = () => undefined as never;
      process.on('SIGUSR2', () => undefined);
      process.chdir(directory);
    });
    rmSync(directory, { recursive: true });
    expect(Reflect.get(process, 'exit')).toBe(exit);
    expect(process.listenerCount('SIGUSR2')).toBe(0);
    expect(process.cwd()).toBe(before);
  });

  it('no metric of its applications is left, and those of modules begin at zero', async () => {
    const ofModule = new Counter({ name: 'canary_module_total', help: 'For this test.' });
    await afterFile(() => {
      ofModule.inc();
      new Counter({ name: 'canary_application_total', help: 'For this test.' });
      register.setDefaultLabels({ canary: 'a label' });
    });
    const text = await register.metrics();
    register.removeSingleMetric('canary_module_total');
    expect(text).toContain('\ncanary_module_total 0\n');
    expect(text).not.toContain('canary_application_total');
  });
});

describe('the modules of the service', () => {
  const src = join(PROJECT_ROOT, 'src');
  const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => join(src, name));

  /** What of a module or a class changes: variables, and collections that are empty at first. */
  const changing = new RegExp(
    [
      /^(?:export )?(?:let|var) (\w+)/,
      /^(?:export )?const (\w+)[^=]*= (?:new (?:Map|Set|WeakMap|WeakSet|LRUCache)(?:<.*>)?\((?:\{.*)?\);|\[\];|\{\};)/,
      /^ {2}(?:\w+ )*static (?!readonly)(?:\w+ )*(\w+)(?:: [^=(]+)? =/,
    ]
      .map(({ source }) => source)
      .join('|'),
    'gm',
  );

  /** Each with the reason why no caller sees what an earlier application left in it. */
  const harmless: Readonly<Record<string, string>> = {
    'main.ts hasFailed': 'of the program itself',
    'modules/builds/workspace/disk/counted-disk.ts allLimits': 'the sum over builds that run now',
    'modules/hosting/http/content-negotiation.ts parsed': 'remembers the result of a pure function',
    'modules/hosting/site/site.ts NO_HEADERS': 'never changes',
    'modules/limits/client-address.ts known': 'remembers the result of a pure function',
    'modules/mcp/http/mcp-places.ts next': 'makes names unique',
    'modules/metering/month.ts last': 'remembers the result of a pure function',
    'modules/objects/s3/signature/signature-check.ts keys': 'remembers the result of a pure function',
    'modules/schedules/domain/timing.ts expressions': 'remembers the result of a pure function',
    'platform/config/setting.ts declarations': 'filled while a class is declared',
    'platform/database/insert-of.ts statements': 'remembers the result of a pure function',
    'platform/database/prepared.ts names': 'filled while a module is loaded',
    'platform/http/inner-calls.ts ORIGINS': 'by socket',
    'platform/http/validation.ts ACCESSORS': 'by class, of which it tells what is declared',
    'platform/isolation/cgroups/cgroup-files.ts lastNumber': 'makes names unique',
    'platform/isolation/process-facts.ts latest': 'a reading of the machine, valid for 25 ms',
    'platform/time/clock.ts lastDay': 'remembers the result of a pure function',
    'platform/time/wall-clock.ts clocks': 'remembers the result of a pure function',
    'roles/supervisor/child.ts bond': 'what the machine can do, asked once',
  };

  it('keep nothing outside of an application that a caller could notice', () => {
    const found = sources.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(changing)].map(
        ([, variable, constant, member]) => `${relative(src, file)} ${variable ?? constant ?? member}`,
      ),
    );
    expect(found.sort()).toEqual(Object.keys(harmless).sort());
  });
});
