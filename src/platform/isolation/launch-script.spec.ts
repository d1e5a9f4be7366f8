import { type StartLimits } from './isolation-spec.js';
import { launchScript } from './launch-script.js';

const limits: StartLimits = {
  memoryBytes: 256 * 1024, idleDataBytes: 1024, tasks: 64, openFiles: 256, scratchBytes: 16 * 1024 * 1024, scratchFiles: 1024, cpuMs: 30_000,
};

describe('the launch script', () => {
  it('enters each cgroup and closes its way in before the program starts', () => {
    const script = launchScript({ limits, tasks: 67, cgroups: 2, ownUser: true });
    expect(script).toContain('echo 0 >&7; exec 7>&-\necho 0 >&8; exec 8>&-\nexec "$@"');
    expect(script).not.toContain('ulimit -d');
  });

  it('limits memory and processes by rlimits where there is no cgroup', () => {
    const script = launchScript({ limits, tasks: 67, cgroups: 0, ownUser: true });
    expect(script).toContain('ulimit -d 257');
    expect(script).toContain('ulimit -u 67 2>/dev/null || ulimit -p 67');
  });

  it('does not limit the processes of a user that others share', () => {
    expect(launchScript({ limits, tasks: 67, cgroups: 0, ownUser: false })).not.toContain('ulimit -u');
  });

  it('does nothing before it is told to go on, so that nothing starts that nobody watches', () => {
    const script = launchScript({ limits, tasks: 67, cgroups: 3, ownUser: true });
    expect(script.split('\n').slice(0, 2)).toEqual(['set -e', 'read -r _ <&5']);
  });

  it('stops at the first step that fails', () => {
    expect(launchScript({ limits, tasks: 67, cgroups: 0, ownUser: false }).startsWith('set -e\n')).toBe(true);
  });

  it('takes nothing but whole numbers', () => {
    expect(() => launchScript({ limits: { ...limits, openFiles: 1.5 }, tasks: 1, cgroups: 0, ownUser: false })).toThrow('1.5 is no limit');
    expect(() => launchScript({ limits, tasks: Number.NaN, cgroups: 0, ownUser: true })).toThrow('NaN is no limit');
  });
});
