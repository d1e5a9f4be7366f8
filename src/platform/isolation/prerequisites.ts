import { existsSync, readFileSync } from 'node:fs';

import { BUBBLEWRAP_PLACES } from './bubblewrap.js';
import { HostUsers } from './host-users.js';

/** Returns the path of bubblewrap; null when it is not installed. */
export function findBubblewrap(places = BUBBLEWRAP_PLACES): string | null {
  return places.find((path) => existsSync(path)) ?? null;
}

/** Returns what is missing before a first attempt is possible, each as the thing to install or set. */
export function missingPrerequisites(options: { bubblewrap: string | null; otherUser: boolean }): string[] {
  if (process.platform !== 'linux') return ['Linux (its namespaces and seccomp are required)'];
  if (process.arch !== 'x64' && process.arch !== 'arm64') return ['an x64 or arm64 processor'];

  const users = options.otherUser ? HostUsers.missing() : null;
  return [
    ...(options.bubblewrap === null ? ['the package bubblewrap (bwrap was not found)'] : []),
    ...(existsSync('/bin/sh') ? [] : ['/bin/sh']),
    ...missingSettings(),
    ...(users === null ? [] : [users]),
  ];
}

/**
 * Explains why isolation could not start, from bubblewrap's output. A real attempt comes first, because a machine may
 * forbid namespaces in general and allow them to bubblewrap.
 */
export function explainFailedStart(detail: string): string[] {
  // Several containers whose programs have the same user may use up its count, as may one that has a limit.
  if (/Resource temporarily unavailable/i.test(detail)) {
    return [
      'room for more processes: all containers with the same user share its limit, and --pids-limit bounds each of ' +
        `them: ${detail}`,
    ];
  }
  if (
    isSet('kernel/apparmor_restrict_unprivileged_userns', '1') &&
    /uid map|namespace|Operation not permitted/i.test(detail)
  ) {
    return [
      'an AppArmor profile that allows bwrap user namespaces, or sysctl kernel.apparmor_restrict_unprivileged_userns=0',
    ];
  }
  // The default filter of podman permits the namespace, and refuses what a program does in it.
  if (/new namespace|user namespace|uid map|set hostname/i.test(detail)) {
    return [`permission to create user namespaces (in Docker: --security-opt seccomp=unconfined): ${detail}`];
  }
  if (/mount proc/i.test(detail)) {
    return [`permission to mount /proc (in Docker: --security-opt systempaths=unconfined): ${detail}`];
  }
  return [`an isolated program that starts: ${detail}`];
}

function missingSettings(): string[] {
  return [
    ...(isSet('kernel/unprivileged_userns_clone', '0') ? ['sysctl kernel.unprivileged_userns_clone=1'] : []),
    ...(isSet('user/max_user_namespaces', '0') ? ['sysctl user.max_user_namespaces=15000'] : []),
  ];
}

function isSet(name: string, value: string): boolean {
  try {
    return readFileSync(`/proc/sys/${name}`, 'utf8').trim() === value;
  } catch {
    return false;
  }
}
