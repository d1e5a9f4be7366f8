import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { AccountService } from '../support/account-service.js';
import { client, signUpWithKey } from '../support/built-client.js';
import { COMMAND, useCommandLine } from '../support/command-line.js';
import { useApp, WITH_SANDBOX } from '../support/test-app.js';
import { totpOf } from '../support/totp.js';

const PASSWORD = 'correct horse';

describe('service sandbox run', () => {
  // All runs come from this machine.
  const app = useApp({
    ANONYMOUS_CALLS_PER_SECOND: '1000',
    ...WITH_SANDBOX,
    SANDBOX_EXECUTIONS_PER_DAY: '1000',
    SANDBOX_TIMEOUT_MS: '6000',
  });
  const service = useCommandLine(() => app.url);

  function file(name: string, code: string): string {
    const path = join(service.home, name);
    writeFileSync(path, code);
    return path;
  }

  it.each([
    ['hello.ts', 'const x: number = 1 + 2; console.log(x); console.error("aside"); process.exit(7);'],
    ['hello.js', 'console.log(1 + 2); console.error("aside"); process.exit(7);'],
    ['hello.py', 'import sys\nprint(1 + 2)\nprint("aside", file=sys.stderr)\nsys.exit(7)'],
  ])('runs %s without a key, passes its output on and ends with its exit code', async (name, code) => {
    expect(await service.run(['sandbox', 'run', file(name, code)])).toEqual({
      code: 7,
      stdout: '3\n',
      stderr: 'aside\n',
    });
  });

  it('runs code from standard input', async () => {
    expect(await service.run(['sandbox', 'run', '-', '--language', 'python'], { input: 'print("in")' })).toEqual({
      code: 0,
      stdout: 'in\n',
      stderr: '',
    });
  });

  it('passes input to the program', async () => {
    const program = file('reverse.py', 'print(input()[::-1])');
    expect((await service.run(['sandbox', 'run', program, '--input', '-'], { input: 'abc\n' })).stdout).toBe('cba\n');
  });

  it('exits with 124 on the time limit, and with 137 on the memory limit', async () => {
    expect((await service.run(['sandbox', 'run', file('loop.py', 'while True: pass')])).code).toBe(124);
    expect(
      (await service.run(['sandbox', 'run', file('grow.py', 'x = []\nwhile True: x.append(b"x" * 50_000_000)')])).code,
    ).toBe(137);
  });

  it.each([
    ['succeeds', 'print("one")', { code: 0, stdout: 'one\n', stderr: '' }],
    [
      'fails',
      'import sys\nprint("é")\nprint("aside", file=sys.stderr)\nsys.exit(7)',
      { code: 7, stdout: 'é\n', stderr: 'aside\n' },
    ],
    [
      'takes too long',
      'print("one")\nwhile True: pass',
      { code: 124, stdout: 'one\n', stderr: 'service: the time limit is reached\n' },
    ],
  ])('with --stream passes on the output of a program that %s, and ends as without', async (_what, code, ended) => {
    expect(await service.run(['sandbox', 'run', '--stream', file('streamed.py', code)])).toEqual(ended);
  });

  it('with --stream prints while the program runs', async () => {
    const path = file('slow.py', 'import time\nprint("one")\ntime.sleep(5)\nprint("two")');
    const child = spawn(process.execPath, [COMMAND, 'sandbox', 'run', '--stream', path], { env: service.environment });
    const [first] = (await once(child.stdout, 'data')) as [Buffer];
    expect([first.toString(), child.exitCode]).toEqual(['one\n', null]);
    child.kill('SIGINT');
    await once(child, 'close');
  });

  it('with --stream refuses as without', async () => {
    const run = (...args: string[]): ReturnType<typeof service.run> =>
      service.run(['sandbox', 'run', '--stream', ...args]);
    expect(await run(file('empty.py', ''))).toMatchObject({ code: 6, stderr: expect.stringContaining('code must be') });
    expect(await run('--json', file('x.py', '1'))).toMatchObject({ code: 2, stdout: '' });
  });

  it('prints the whole response with --json, and the remaining runs', async () => {
    const { stdout, code } = await service.run(['--json', 'sandbox', 'run', file('bad.py', '1 / 0')]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'failed',
      exit_code: 1,
      error: { name: 'ZeroDivisionError' },
      remaining_executions: expect.any(Number),
    });
  });

  it('exits with 6 and names the invalid field and its docs page', async () => {
    const ended = await service.run(['sandbox', 'run', file('empty.py', '')]);
    expect(ended).toMatchObject({ code: 6, stdout: '' });
    expect(ended.stderr).toMatch(
      /^service: code must be longer .+\nDocs: http:\/\/api\.test\/docs\/errors\/invalid_request\n$/,
    );
  });

  it('passes on arguments, variables, time zone and locale', async () => {
    const code =
      'console.log(process.argv.slice(2).join(), process.env.A, process.env.B, new Date(0).getHours(), ' +
      'Intl.NumberFormat().format(1.5))';
    const options = ['--env', 'A=x=y', '--env', 'B=', '--timezone', 'Asia/Tokyo', '--locale', 'de-DE'];
    expect(await service.run(['sandbox', 'run', file('seen.js', code), ...options, '--', '--loud', 'é'])).toEqual({
      code: 0,
      stdout: '--loud,é x=y  9 1,5\n',
      stderr: '',
    });
  });

  it('checks types on request, and prints what the compiler would', async () => {
    const program = file('wrong.ts', 'console.log("started");\nconst n: number = "x";');
    expect((await service.run(['sandbox', 'run', program])).stdout).toBe('started\n');
    expect(await service.run(['sandbox', 'run', program, '--check'])).toEqual({
      code: 1,
      stdout: '',
      stderr: "main.ts(2,7): error TS2322: Type 'string' is not assignable to type 'number'.\n",
    });
  });

  it('saves artifacts and prints rich results with a key', async () => {
    const { apiKey } = await signUpWithKey(app.url);
    const program = file(
      'made.py',
      'import os\nos.mkdir("/artifacts/a")\nopen("/artifacts/a/b.txt", "w").write("made")\n' +
        'os.symlink("/etc/passwd", "/artifacts/link")\n6 * 7',
    );
    const saved = join(service.home, 'saved');
    const args = ['sandbox', 'run', program, '--rich', '--artifacts', saved];
    expect(await service.run(args, { env: { SERVICE_API_KEY: apiKey } })).toEqual({
      code: 0,
      stdout: '42\n',
      stderr: 'service: link is not kept: It is neither a regular file nor a directory.\n',
    });
    expect(readFileSync(join(saved, 'a/b.txt'), 'utf8')).toBe('made');
    expect(await service.run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('need an account') });
  });

  it('has a time limit and a memory limit with a key', async () => {
    const { apiKey } = await signUpWithKey(app.url);
    const run = (...args: string[]): ReturnType<typeof service.run> =>
      service.run(['sandbox', 'run', ...args], { env: { SERVICE_API_KEY: apiKey } });
    const [sleeps, fills] = [
      file('sleeps.py', 'import time\ntime.sleep(25)'),
      file('fills.py', 'x = b"x" * 120_000_000\nprint(len(x))'),
    ];
    expect(await run(sleeps, '--timeout', '0.5')).toMatchObject({ code: 124, stdout: '' });
    expect(await run(fills)).toEqual({ code: 0, stdout: '120000000\n', stderr: '' });
    expect(await run(fills, '--memory', '64')).toMatchObject({ code: 137, stdout: '' });
    // More than the plan has.
    for (const seconds of ['40', '100'])
      expect(await run(fills, '--timeout', seconds)).toMatchObject({
        code: 6,
        stderr: expect.stringContaining('timeout_ms'),
      });
    expect(await service.run(['sandbox', 'run', fills, '--memory', '64'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--timeout and --memory need an account'),
    });
  });

  it.each([
    ['a time limit that is none', ['sandbox', 'run', 'main.py', '--timeout', '1m']],
    ['a memory limit that is none', ['sandbox', 'run', 'main.py', '--memory', '0.5']],
    ['a variable without a value', ['sandbox', 'run', 'main.py', '--env', 'NAME']],
    ['a variable without a name', ['sandbox', 'run', 'main.py', '--env', '=x']],
    ['a file of no known language', ['sandbox', 'run', '/etc/hostname']],
    ['standard input without a language', ['sandbox', 'run', '-']],
    ['a file that is not there', ['sandbox', 'run', 'nothing.py']],
    ['an unknown command', ['frobnicate']],
    ['an unknown option', ['whoami', '--loud']],
    ['no command', []],
    ['an address that is none', ['whoami', '--url', 'localhost']],
    ['a key among the arguments', ['login', '--key', 'svc_pat_x']],
    ['a key without rights', ['keys', 'create', 'x']],
  ])('exits with 2 for %s', async (_what, args) => {
    const { code, stdout, stderr } = await service.run(args, { env: { SERVICE_API_KEY: 'svc_pat_x' } });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
  });

  it('exits with 69 when the service cannot be reached', async () => {
    const ended = await service.run(['sandbox', 'run', file('x.py', '1'), '--url', 'http://127.0.0.1:2']);
    expect(ended).toEqual({
      code: 69,
      stdout: '',
      stderr: expect.stringMatching(/http:\/\/127\.0\.0\.1:2 cannot be reached: ECONNREFUSED\n.*SERVICE_URL/),
    });
  });

  it('prints its help and its version', async () => {
    expect(await service.run(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('sandbox') });
    expect(await service.run(['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });
});

describe('the command line with an account', () => {
  const account = new AccountService();
  const service = useCommandLine(() => account.url);
  beforeAll(() => account.start());
  afterAll(() => account.stop());

  const stored = (): string => readFileSync(service.credentialsFile, 'utf8');

  it('exits with 3 and says how to log in without a key, and sends nothing', async () => {
    expect(await service.run(['whoami'])).toEqual({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('service login'),
    });
    expect(account.seen).toEqual([]);
  });

  it.each(['{}', 'null', '{"keys":', '"text"'])(
    'exits with 2 and names the file when its credentials are %s',
    async (content) => {
      mkdirSync(dirname(service.credentialsFile), { recursive: true });
      writeFileSync(service.credentialsFile, content);
      expect(await service.run(['whoami'])).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(`${service.credentialsFile} cannot be read.`),
      });
      rmSync(service.credentialsFile);
    },
  );

  it('exits with 3 for a wrong password, and stores nothing', async () => {
    const ended = await service.run(['login'], { input: 'ada\nwrong\n' });
    expect(ended).toMatchObject({ code: 3, stdout: '' });
    expect(ended.stderr).toContain('Docs: http://docs.test/errors/invalid_credentials');
    expect(existsSync(service.credentialsFile)).toBe(false);
  });

  it('prompts for login and password, hides the password, and stores the key in a private file', async () => {
    const { code, stdout: shown } = await service.runOnTerminal(
      ['login'],
      [
        ['Username or e-mail: ', 'ada'],
        ['Password: ', PASSWORD],
      ],
    );
    expect(shown).toContain(`You are logged in at ${account.url}.`);
    expect(code).toBe(0);
    expect(shown).not.toContain(PASSWORD);
    expect(shown).not.toContain('secret');
    expect(account.keys.map(({ name }) => name)).toEqual([`Command line on ${hostname()}`]);
    expect(account.sessions.size).toBe(0);
    expect(statSync(service.credentialsFile).mode & 0o777).toBe(0o600);
    expect(stored()).toContain('svc_pat_secret1');
    expect(stored()).not.toContain('svc_sess');
  });

  it('prints the caller with whoami', async () => {
    expect(await service.run(['whoami'])).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('ada <ada@example.com>'),
    });
    expect(JSON.parse((await service.run(['whoami', '--json'])).stdout)).toMatchObject({ user: { username: 'ada' } });
  });

  it('remembers the service of the login', async () => {
    expect((await service.run(['whoami'], { env: { SERVICE_URL: '' } })).code).toBe(0);
  });

  it('sends its key to no other service', async () => {
    expect((await service.run(['whoami', '--url', account.url.replace('127.0.0.1', 'localhost')])).code).toBe(3);
  });

  it('revokes the key of an earlier login', async () => {
    expect((await service.run(['login'], { input: `ada\n${PASSWORD}\n` })).code).toBe(0);
    expect(account.keys.map(({ revoked }) => revoked)).toEqual([true, false]);
  });

  it('lists keys without secrets', async () => {
    const table = await service.run(['keys', 'list']);
    expect(table.stdout).toMatch(/^ID +NAME +KIND +STATUS +LAST USED +EXPIRES\nkey_1 .* revoked .*\nkey_2 .* active /);
    const list = await service.run(['keys', 'list', '--json']);
    expect(JSON.parse(list.stdout)).toHaveLength(2);
    expect(table.stdout + list.stdout).not.toContain('secret');
  });

  it('prints only the secret of a new key on standard output', async () => {
    const ended = await service.run(['keys', 'create', 'ci', '--preset', 'ci_deploy']);
    expect(ended).toEqual({ code: 0, stdout: 'svc_pat_secret3\n', stderr: expect.stringContaining('ci (key_3)') });
    expect(ended.stderr).not.toContain('svc_pat');
  });

  it('keeps working after it rotates its own key', async () => {
    expect(await service.run(['keys', 'rotate', 'key_2', '--grace-seconds', '60'])).toMatchObject({
      code: 0,
      stdout: 'svc_pat_secret2-rotated\n',
    });
    expect((await service.run(['whoami'])).code).toBe(0);
  });

  it('revokes a key, and exits with 5 for a missing one', async () => {
    expect(await service.run(['keys', 'revoke', 'key_3'])).toMatchObject({ code: 0, stdout: 'key_3 is revoked.\n' });
    expect(account.keys[2]!.revoked).toBe(true);
    expect((await service.run(['keys', 'revoke', 'key_9'])).code).toBe(5);
  });

  it('lists and ends grants of OAuth clients, the own ones and those of members', async () => {
    const asAda = { env: { SERVICE_API_KEY: account.mint('grants').secret } };
    const { stdout } = await service.run(['grants', 'list'], asAda);
    expect(stdout).toMatch(/^ID +CLIENT +HOST +MAY +LAST USED\ngrt_1 +Claude +claude\.ai +read +never\n/);
    expect(stdout).toMatch(/\ngrt_2 +Tool +localhost +read and write +never\n$/);
    expect((await service.run(['grants', 'list', '--members'], asAda)).stdout).toMatch(
      /^ID +MEMBER +CLIENT .*\ngrt_1 +ada +Claude .*\n$/,
    );
    expect((await service.run(['grants', 'end', 'grt_2'], asAda)).stdout).toBe('grt_2 has ended.\n');
    const ended = await service.run(['grants', 'end', 'grt_1', '--members', '--org', 'org_1', '--json'], asAda);
    expect(JSON.parse(ended.stdout)).toEqual({ id: 'grt_1', ended: true });
    expect(account.seen.slice(-2)).toEqual(['DELETE /api/v1/grants/grt_2', 'DELETE /api/v1/orgs/org_1/grants/grt_1']);
    expect(account.grants).toEqual([]);
  });

  it('explains a refusal', async () => {
    const ended = await service.run(['explain', 'post', '/api/v1/keys']);
    expect(ended).toEqual({
      code: 0,
      stderr: '',
      stdout: 'Refused by scope (insufficient_scopes): The key may not.\nFix: Add keys:write.\nNeeds: keys:write\n',
    });
  });

  it.each([
    [400, 6],
    [401, 3],
    [402, 8],
    [403, 4],
    [404, 5],
    [409, 6],
    [413, 1],
    [429, 7],
  ])('for status %i exits with %i', async (status, code) => {
    account.refuseNext(status, { code: 'some_code', ...(status === 429 ? { retry_after: 3600 } : {}) });
    expect((await service.run(['whoami'])).code).toBe(code);
  });

  it('prints errors as JSON on standard error with --json', async () => {
    account.refuseNext(403, { type: 'authorization_error', code: 'insufficient_scopes', hint: 'Add it.' });
    const { stdout, stderr } = await service.run(['whoami', '--json']);
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toEqual({
      error: expect.objectContaining({
        name: 'AuthorizationError',
        status: 403,
        code: 'insufficient_scopes',
        hint: 'Add it.',
      }),
    });
  });

  it('prefers the key of the environment', async () => {
    expect((await service.run(['whoami'], { env: { SERVICE_API_KEY: 'svc_pat_wrong' } })).code).toBe(3);
  });

  it('revokes its key and deletes it at logout', async () => {
    expect((await service.run(['logout'])).code).toBe(0);
    expect(account.keys[1]!.revoked).toBe(true);
    expect(stored()).not.toContain('svc_pat');
    expect((await service.run(['logout'])).code).toBe(0);
  });

  it('stores a key given on standard input, and does not revoke it at logout', async () => {
    const key = account.mint('given');
    expect((await service.run(['login', '--key', '-'], { input: `${key.secret}\n` })).code).toBe(0);
    expect((await service.run(['whoami'])).code).toBe(0);
    await service.run(['logout']);
    expect(key.revoked).toBe(false);
  });
});

describe('the command line and the service', () => {
  const app = useApp({ ...WITH_SANDBOX, ANONYMOUS_CALLS_PER_SECOND: '1000' });
  const service = useCommandLine(() => app.url);

  it('asks for a code where the account has a second factor', async () => {
    const { username, password, sessionToken } = await signUpWithKey(app.url);
    const { auth } = new client.Service({ sessionToken, baseUrl: app.url });
    const { secret } = await auth.beginTotp();
    const { recovery_codes: codes = [] } = await auth.confirmTotp(totpOf(secret));
    const wrong = await service.run(['login'], { input: `${username}\n${password}\nabcde-fghjk\n` });
    expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining('invalid_factor') });
    expect(await service.run(['login'], { input: `${username}\n${password}\n${codes[0]}\n` })).toMatchObject({
      code: 0,
      stdout: `You are logged in at ${app.url}.\n`,
      stderr: expect.stringContaining('Code of your authenticator app, or a recovery code: '),
    });
    expect((await service.run(['logout'])).code).toBe(0);
  });

  it('logs in, prints the caller, manages keys, explains, runs code and logs out', async () => {
    const { username, password } = await signUpWithKey(app.url);
    expect(await service.run(['login'], { input: `${username}\n${password}\n` })).toMatchObject({
      code: 0,
      stdout: `You are logged in at ${app.url}.\n`,
    });
    expect((await service.run(['whoami'])).stdout).toContain(`${username} <${username}@example.com>`);

    const created = JSON.parse(
      (await service.run(['keys', 'create', 'ci', '--scope', 'keys:read', '--expires-in-days', '30', '--json'])).stdout,
    ) as { id: string; secret: string };
    const asCi = { env: { SERVICE_API_KEY: created.secret } };
    expect((await service.run(['keys', 'list'], asCi)).stdout).toContain(created.id);
    expect((await service.run(['keys', 'create', 'more', '--preset', 'full'], asCi)).code).toBe(4);
    expect((await service.run(['explain', 'POST', '/api/v1/keys'], asCi)).stdout).toMatch(
      /^Refused by scope \(insufficient_scopes\): .+\nFix: .+\nNeeds: keys:write\n$/,
    );

    const rotated = await service.run(['keys', 'rotate', created.id]);
    expect(rotated.stdout).toMatch(/^svc_pat_/);
    expect((await service.run(['whoami'], asCi)).code).toBe(3);
    expect((await service.run(['keys', 'revoke', created.id])).code).toBe(0);

    expect(
      await service.run(['sandbox', 'run', '-', '--language', 'python'], { input: 'print(6 * 7); exit(5)' }),
    ).toEqual({ code: 5, stdout: '42\n', stderr: '' });
    expect(
      await service.run(['sandbox', 'run', '-', '--stream', '--language', 'python'], { input: 'print(1); exit(4)' }),
    ).toEqual({ code: 4, stdout: '1\n', stderr: '' });

    const own = JSON.parse((await service.run(['--json', 'keys', 'list'])).stdout) as { id: string; status: string }[];
    const { id: keyId } = own.find(({ status }) => status === 'active')!;
    expect((await service.run(['budgets', 'set', keyId, '2.5', '--window', 'day'])).stdout).toBe(
      `key:${keyId} may spend $2.5 a day: $0 are spent, $2.5 available.\n`,
    );
    expect((await service.run(['budgets', 'set', keyId, 'much'])).code).toBe(2);
    expect((await service.run(['budgets', 'list'])).stdout).toMatch(
      new RegExp(`^SUBJECT +WINDOW .+\\nkey:${keyId} +day +\\$2\\.5 +\\$0 `),
    );
    expect((await service.run(['budgets', 'rm', keyId])).stdout).toBe(`key:${keyId} has no budget any more.\n`);
    expect((await service.run(['budgets', 'rm', keyId])).stderr).toContain('budget_not_found');

    const plans = await service.run(['plans'], { env: { SERVICE_API_KEY: '' } });
    expect(plans.stdout).toMatch(
      new RegExp(
        '^PLAN +USD/MONTH +CALLS/DAY .*\\nfree +0 +5000 .*\\nbuilder +49 +100000 .*\\n' +
          'pro +299 +unlimited .*\\nenterprise +by contract +unlimited .*\\n$',
      ),
    );

    const { keys } = JSON.parse(readFileSync(service.credentialsFile, 'utf8')) as {
      keys: Record<string, { api_key: string }>;
    };
    expect((await service.run(['logout'])).code).toBe(0);
    expect((await service.run(['whoami'], { env: { SERVICE_API_KEY: keys[app.url]!.api_key } })).code).toBe(3);
  }, 90_000);
});
