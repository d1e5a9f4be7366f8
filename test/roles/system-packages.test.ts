import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/embedded-servers.js';

const SCRIPT = join(__dirname, '../../scripts/system-packages.mjs');
const PROGRAMS = ['bwrap', 'redis-server', 'git', 'python3', 'flock'];
const OPTIONAL = ['slirp4netns', 'nft'];

interface Run {
  readonly status: number | null;
  readonly output: string;
  /** How the package manager was called, and what it saw of the policy against starting services. */
  readonly calls: string[];
}

/**
 * Each test runs in a mount namespace whose directories of programs are its own: a system on which little is installed.
 */
describe('the check of the system packages', () => {
  let scratch: string;

  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'system-packages-'));
    chmodSync(scratch, 0o755);
    for (const name of ['bin', 'sbin', 'stubs']) mkdirSync(join(scratch, name));
    for (const name of OPTIONAL) stub(join(scratch, 'bin', name), 'exit 0');
    for (const name of PROGRAMS)
      stub(join(scratch, 'stubs', name), name === 'redis-server' ? 'echo "Redis server v=7.0.15 sha=0"' : 'exit 0');
  });

  afterEach(() => {
    rmSync(scratch, { recursive: true, force: true });
  });

  it('prints nothing when all packages are installed', () => {
    install(...PROGRAMS);
    expect(check()).toEqual({ status: 0, output: '', calls: [] });
  });

  it('installs missing packages as root, and starts no service', () => {
    install('git', 'bwrap', 'flock');
    manager('apt-get');
    const { status, output, calls } = check();
    expect(output).toMatch(/^(Installing redis-server, python3 with apt-get .*) …\n\1 took \d+\.\d s\.\n$/);
    expect(status).toBe(0);
    expect(calls).toEqual([
      'apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=60 redis-server python3',
      'frontend noninteractive policy 101',
    ]);
    expect(readdirSync(join(scratch, 'sbin'))).toEqual([]);
  });

  it('keeps the installed Redis from starting at boot', () => {
    install('git', 'bwrap', 'flock', 'python3');
    manager('apt-get');
    stub(join(scratch, 'bin/systemctl'), `echo "systemctl $*" >> ${scratch}/calls`);
    expect(check().calls).toContain('systemctl disable redis-server.service');
  });

  it('updates the package lists only when the first attempt fails', () => {
    manager(
      'apt-get',
      `[ -e ${scratch}/refreshed ] || [ $1 = update ] || { echo "no candidate"; exit 100; }; ` +
        `[ $1 = update ] && echo > ${scratch}/refreshed`,
    );
    const { status, output, calls } = check();
    expect(status).toBe(0);
    expect(output).not.toContain('no candidate');
    expect(calls.filter((call) => call.startsWith('apt-get')).map((call) => call.split(' ')[1])).toEqual([
      'install',
      'update',
      'install',
    ]);
  });

  it('prints the output of a failed package manager and the command to run', () => {
    manager('apt-get', 'echo "E: no space left"; exit 100');
    const { status, output } = check();
    expect(status).toBe(1);
    expect(output).toContain('E: no space left');
    expect(output).toContain(
      '\n  apt-get update && apt-get install -y --no-install-recommends bubblewrap redis-server git python3 ' +
        'util-linux\n',
    );
  });

  it.each([
    [
      'apt-get',
      'sudo apt-get update && sudo apt-get install -y --no-install-recommends bubblewrap redis-server git ' +
        'python3 util-linux',
    ],
    ['dnf', 'sudo dnf install -y bubblewrap redis git python3 util-linux'],
    ['apk', 'sudo apk add bubblewrap redis git-daemon python3 util-linux'],
  ])('prints the command for %s to an ordinary user, and runs nothing', (name, command) => {
    manager(name);
    const { status, output, calls } = check({ uid: 1000 });
    expect(status).toBe(1);
    expect(output).toContain(`Please run this, then try again:\n\n  ${command}\n`);
    expect(output).toContain('redis-server, which holds queues and limits');
    expect(calls).toEqual([]);
  });

  it.each(['dnf', 'apk'])('installs with %s as root', (name) => {
    manager(name);
    const { status, calls } = check();
    expect(status).toBe(0);
    expect(calls[0]).toMatch(
      new RegExp(`^${name} (install -y|add) .*bubblewrap redis git(-daemon)? python3 util-linux$`),
    );
  });

  it('installs nothing with SERVICE_INSTALL=never', () => {
    manager('apt-get');
    const { status, output, calls } = check({ env: { SERVICE_INSTALL: 'never' } });
    expect(status).toBe(1);
    expect(output).toContain('\n  apt-get update && apt-get install');
    expect(calls).toEqual([]);
  });

  it('checks only the named programs', () => {
    install('git');
    expect(check({ programs: ['git'] }).status).toBe(0);
    expect(check({ programs: ['git', 'bubblewrap'], uid: 1000 }).output).not.toContain('redis');
  });

  describe('of programs that the service can do without', () => {
    const LINE = 'Without slirp4netns and nftables, which give app servers a network, app servers reach no network.';

    beforeEach(() => {
      install(...PROGRAMS);
      for (const name of OPTIONAL) rmSync(join(scratch, 'bin', name));
    });

    it('installs them as root', () => {
      for (const name of OPTIONAL) stub(join(scratch, 'stubs', name), 'exit 0');
      manager('apt-get');
      const { status, output, calls } = check();
      expect([status, calls[0]]).toEqual([
        0,
        'apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=60 slirp4netns nftables',
      ]);
      expect(output).toMatch(/^Installing slirp4netns, nftables with apt-get, which give app servers a network …\n/);
      expect(output).not.toContain('Without');
    });

    it('says that they are missing where they cannot be installed, and does not try again at each start', () => {
      manager('apt-get', 'echo "E: no candidate"; exit 100');
      const first = check();
      expect(first.status).toBe(0);
      expect(first.output).toContain(`${LINE} To install them: apt-get update && apt-get install`);
      const again = check();
      expect(again.output).toBe(first.output.slice(first.output.indexOf(LINE)));
      expect(again.calls).toEqual(first.calls);
    });

    it('installs nothing for an ordinary user, or with SERVICE_INSTALL=never', () => {
      manager('apt-get');
      const how = 'apt-get update && apt-get install -y --no-install-recommends slirp4netns nftables';
      expect(check({ env: { SERVICE_INSTALL: 'never' } })).toEqual({
        status: 0,
        output: `${LINE} To install them: ${how}\n`,
        calls: [],
      });
      const ordinary = check({ uid: 1000 });
      expect([ordinary.status, ordinary.calls]).toEqual([0, []]);
      expect(ordinary.output).toContain(how.replaceAll('apt-get', 'sudo apt-get'));
    });
  });

  it('ignores a Python outside of /usr/bin', () => {
    install(...PROGRAMS.filter((name) => name !== 'python3'));
    const shims = join(scratch, 'shims');
    mkdirSync(shims);
    stub(join(shims, 'python3'), 'exit 0');
    const { status, output } = check({ uid: 1000, env: { PATH: `${shims}:/usr/bin` } });
    expect(status).toBe(1);
    expect(output).toContain('python3, which runs Python code');
  });

  it('keeps an installed Redis that is too old', () => {
    install(...PROGRAMS);
    manager('apt-get');
    stub(join(scratch, 'bin/redis-server'), 'echo "Redis server v=6.0.16 sha=0"');
    const { status, output, calls } = check();
    expect(status).toBe(1);
    expect(output).toContain('The Redis on this machine is version 6.0.16, and the service needs 6.2 or later.');
    expect(calls).toEqual([]);
  });

  it('restores the previous policy', () => {
    manager('apt-get');
    stub(join(scratch, 'sbin/policy-rc.d'), 'exit 0 # of the administrator');
    expect(check().calls).toContain('frontend noninteractive policy 101');
    expect(readdirSync(join(scratch, 'sbin'))).toEqual(['policy-rc.d']);
    expect(readFileSync(join(scratch, 'sbin/policy-rc.d'), 'utf8')).toContain('of the administrator');
    expect(statSync(join(scratch, 'sbin/policy-rc.d')).mode & 0o777).toBe(0o755);
  });

  it('removes its policy when it was killed, and cleans up on the next call', async () => {
    manager('apt-get', `while [ -e ${scratch}/hang ]; do :; done`);
    stub(join(scratch, 'sbin/policy-rc.d'), 'exit 0 # of the administrator');
    writeFileSync(join(scratch, 'hang'), '');
    const killed = spawn('bwrap', args({}), { stdio: 'ignore' });
    await until('the package manager runs', () => callsSoFar().includes('frontend noninteractive policy 101'));
    const policy = join(scratch, 'sbin/policy-rc.d');
    killed.kill('SIGKILL');
    await until(
      'the policy steps aside',
      () => inside(['/usr/sbin/policy-rc.d', 'redis-server', 'start']).status === 0,
    );
    expect(readFileSync(policy, 'utf8')).toContain('Safe to remove');

    rmSync(join(scratch, 'hang'));
    expect(check().status).toBe(0);
    expect(readFileSync(policy, 'utf8')).toContain('of the administrator');
  });

  interface Circumstances {
    readonly uid?: number;
    readonly env?: Record<string, string>;
    readonly programs?: string[];
  }

  function check(circumstances: Circumstances = {}): Run {
    const { status, stdout, stderr } = spawnSync('bwrap', args(circumstances), {
      encoding: 'utf8',
      env: {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        HOME: '/root',
        TMPDIR: scratch,
        ...circumstances.env,
      },
    });
    return { status, output: stdout + stderr, calls: callsSoFar() };
  }

  function args({ uid = 0, programs = [] }: Circumstances): string[] {
    return [...namespace(uid), '/usr/bin/node', SCRIPT, ...programs];
  }

  function inside(command: string[]): { status: number | null } {
    return spawnSync('bwrap', [...namespace(0), ...command], { stdio: 'ignore' });
  }

  /** The root of the real system, with programs hidden but for node, a shell and cp. */
  function namespace(uid: number): string[] {
    const tools = [
      ['node', process.execPath],
      ['sh', realpathSync('/bin/sh')],
      ['cp', realpathSync('/bin/cp')],
    ];
    const hidden = [
      '/usr/local/bin',
      '/usr/local/sbin',
      ...['/bin', '/sbin'].filter((path) => realpathSync(path) === path),
    ];
    const user = uid === process.getuid!() ? [] : ['--unshare-user', '--uid', String(uid), '--gid', String(uid)];
    return [
      ...['--dev-bind', '/', '/', '--die-with-parent', ...user],
      ...hidden.flatMap((path) => ['--tmpfs', path]),
      // Before the directories that may lie over them: node itself may live in one.
      ...['--bind', join(scratch, 'bin'), '/usr/bin', '--bind', join(scratch, 'sbin'), '/usr/sbin'],
      ...tools.flatMap(([name, path]) => ['--ro-bind', path!, `/usr/bin/${name!}`]),
      ...['/bin', '/sbin']
        .filter((path) => hidden.includes(path))
        .flatMap((path) => ['--ro-bind', realpathSync('/bin/sh'), `${path}/sh`]),
    ];
  }

  function callsSoFar(): string[] {
    const file = join(scratch, 'calls');
    return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  }

  function install(...names: string[]): void {
    for (const name of names) spawnSync('cp', ['-p', join(scratch, 'stubs', name), join(scratch, 'bin', name)]);
  }

  function manager(name: string, first = ':'): void {
    stub(
      join(scratch, 'bin', name),
      [
        `echo "${name} $*" >> ${scratch}/calls`,
        'if [ -x /usr/sbin/policy-rc.d ]; then /usr/sbin/policy-rc.d redis-server start; ' +
          `echo "frontend $DEBIAN_FRONTEND policy $?" >> ${scratch}/calls; fi`,
        first,
        `case $1 in install | add) cp -p ${scratch}/stubs/* /usr/bin/ ;; esac`,
      ].join('\n'),
    );
  }

  function stub(path: string, script: string): void {
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }
});
