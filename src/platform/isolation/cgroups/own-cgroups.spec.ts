import { ownCgroups } from './own-cgroups.js';

const V1 = `31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw
33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw`;

describe('the service’s own cgroups', () => {
  it('are found per controller in version 1, below the part of the hierarchy that is mounted', () => {
    const own = ownCgroups(V1, '4:memory:/docker/abc/service\n2:cpu,cpuacct:/a\n0::/\n');
    expect(own.v1('memory')).toBe('/sys/fs/cgroup/memory/service');
    expect(own.v1('cpuacct')).toBe('/sys/fs/cgroup/cpu,cpuacct/a');
    expect(own.v1('pids')).toBeNull();
    expect(own.unified).toBe('/sys/fs/cgroup/unified');
  });

  it('are the mount itself when the membership lies outside of it', () => {
    expect(ownCgroups(V1, '4:memory:/elsewhere\n').v1('memory')).toBe('/sys/fs/cgroup/memory');
  });

  it('are a single one in version 2', () => {
    const own = ownCgroups(
      '30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw,nsdelegate',
      '0::/system.slice/service.service\n',
    );
    expect(own.unified).toBe('/sys/fs/cgroup/system.slice/service.service');
    expect(own.v1('memory')).toBeNull();
  });
});
