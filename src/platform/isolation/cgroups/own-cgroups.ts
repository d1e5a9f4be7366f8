import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Where the service's own cgroup is in the file system, for a v1 controller or for v2 (`unified`). */
export interface OwnCgroups {
  readonly unified: string | null;
  readonly v1: (controller: string) => string | null;
}

interface CgroupMount {
  readonly root: string;
  readonly at: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** Isolated programs go below the service's own cgroup, so that a limit on the service applies to them too. */
export function ownCgroups(
  mountInfo = readFileSync('/proc/self/mountinfo', 'utf8'),
  membership = readFileSync('/proc/self/cgroup', 'utf8'),
): OwnCgroups {
  const mounts = mountInfo.split('\n').flatMap(parseMount);
  const memberships = membership
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, controllers = '', ...path] = line.split(':');
      return { controllers: controllers.split(','), path: path.join(':') };
    });
  const find = (mount: CgroupMount | undefined, controller: string): string | null => {
    const own = memberships.find(({ controllers }) => controllers.includes(controller));
    return mount === undefined || own === undefined ? null : below(mount, own.path);
  };

  return {
    unified: find(
      mounts.find(({ type }) => type === 'cgroup2'),
      '',
    ),
    v1: (controller) =>
      find(
        mounts.find(({ type, options }) => type === 'cgroup' && options.includes(controller)),
        controller,
      ),
  };
}

/** A container may see only part of the hierarchy, mounted as its root. */
function below(mount: CgroupMount, path: string): string {
  const inside = relative(mount.root, path);
  return inside.startsWith('..') ? mount.at : join(mount.at, inside);
}

function parseMount(line: string): CgroupMount[] {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , root = '', at = ''] = before.split(' ');
  const [type = '', , options = ''] = after.split(' ');
  return type === 'cgroup' || type === 'cgroup2' ? [{ root, at, type, options: options.split(',') }] : [];
}
