import { type LaunchOptions, launchScript } from './launch-script.js';

const limits: LaunchOptions = {
  openFiles: 256,
  fileBytes: 16 * 1024 * 1024,
  cpuMs: 30_000,
  dataBytes: null,
  processes: null,
  cgroups: 2,
  unshare: null,
};

describe('launchScript', () => {
  it('enters each cgroup and closes its way in before the program starts', () => {
    const script = launchScript(limits);
    expect(script).toContain('echo 0 >&7; exec 7>&-\necho 0 >&8; exec 8>&-\nexec "$@"');
    expect(script).not.toContain('ulimit -d');
  });

  it('limits memory and processes by rlimits where there is no cgroup', () => {
    const script = launchScript({ ...limits, dataBytes: 257 * 1024, processes: 67, cgroups: 0 });
    expect(script).toContain('ulimit -d 257');
    expect(script).toContain('ulimit -u 67 2>/dev/null || ulimit -p 67');
  });

  it('sets no limit on processor time or processes when they are null', () => {
    const script = launchScript({ ...limits, cpuMs: null });
    expect(script).not.toContain('ulimit -t');
    expect(script).not.toContain('ulimit -u');
  });

  it('waits for the line that lets it continue, so that every program is watched', () => {
    const script = launchScript({ ...limits, cgroups: 3 });
    expect(script.split('\n').slice(0, 2)).toEqual(['set -e', 'read -r _ <&5']);
  });

  it('creates a network and waits again until the host has prepared it', () => {
    const script = launchScript({ ...limits, unshare: '/usr/bin/unshare' });
    expect(script.split('\n').at(-1)).toBe(
      `exec /usr/bin/unshare --user --map-root-user --net -- /bin/sh -c 'echo >&5; read -r _ <&5; exec "$@"' sh "$@"`,
    );
    expect(() => launchScript({ ...limits, unshare: "/usr/bin/un'share" })).toThrow('must need no quotes');
  });

  it('stops at the first step that fails', () => {
    expect(launchScript(limits).startsWith('set -e\n')).toBe(true);
  });

  it('accepts only whole numbers', () => {
    expect(() => launchScript({ ...limits, openFiles: 1.5 })).toThrow('1.5 is not a valid limit');
    expect(() => launchScript({ ...limits, processes: Number.NaN })).toThrow('NaN is not a valid limit');
  });
});
