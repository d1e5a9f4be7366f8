import { spawn } from 'node:child_process';

import { type ContainedParts } from './contained-child.js';
import { DescriptorShield } from './descriptor-shield.js';
import { type HostUser, type HostUsers } from './host-users.js';
import { type LaunchOptions, launchScript } from './launch-script.js';
import { LISTEN_DESCRIPTOR, type LentUser } from './launch-spec.js';
import { hostUserOf, Tenant } from './lent-users.js';
import { AttachedNetwork } from './network/attached-network.js';
import { type NetworkRules } from './network/network-rules.js';
import { type NetworkTools } from './network/network-tools.js';
import { OrphanWatch } from './orphan-watch.js';
import { type GroupLimits, type ResourceGroup, type ResourceGroups } from './resource-group.js';

/** What runs in isolation, whatever started it. */
export interface Destroyable {
  destroy(): Promise<void>;
}

/** The limits that each process gets from the kernel. */
export type Bounds = Omit<LaunchOptions, 'cgroups' | 'unshare'>;

export interface StartParts<Started extends Destroyable> {
  readonly user?: LentUser | undefined;
  readonly listener?: number | undefined;
  readonly rules?: NetworkRules | null;
  readonly groupLimits: GroupLimits;
  readonly bounds: Bounds;
  /** Returns the command for the user that was lent. */
  readonly command: (user: HostUser | null) => readonly string[];
  readonly make: (parts: Omit<ContainedParts, 'seccomp'>, user: HostUser | null) => Started;
}

/** What is lent to a process that a template forks. */
export interface LentParts {
  readonly group: ResourceGroup;
  readonly user: HostUser | null;
  /** Called once, when nothing of it is left. */
  readonly onGone: () => void;
}

interface SpawnParts {
  readonly command: readonly string[];
  readonly bounds: Omit<LaunchOptions, 'cgroups'>;
  readonly user: HostUser | null;
  readonly group: ResourceGroup;
  readonly listener: number | undefined;
}

/** Lends each isolated program a user and a resource group, starts it, and knows all that run. */
export class Starter {
  private readonly shield = new DescriptorShield();
  private readonly alive = new Set<Destroyable>();
  private readonly orphans = new OrphanWatch();

  constructor(
    private readonly users: HostUsers,
    private readonly groups: ResourceGroups,
    private readonly networkTools: NetworkTools,
  ) {}

  /** Starts bubblewrap with a command. */
  start<Started extends Destroyable>(parts: StartParts<Started>): Started {
    const { user, listener, rules = null, groupLimits, bounds, command, make } = parts;
    const tenant = user ?? new Tenant(this.users);
    const giveBack = (): void => {
      if (user === undefined) tenant.giveBack();
    };
    try {
      const group = this.groups.create(groupLimits);
      const hostUser = hostUserOf(tenant);
      const network = rules === null ? null : new AttachedNetwork(this.networkTools, this.orphans, hostUser, rules);
      const unshare = network === null ? null : this.networkTools.unshare;
      const child = this.spawn({
        command: command(hostUser),
        bounds: { ...bounds, unshare },
        user: hostUser,
        group,
        listener,
      });
      const watched: number[] = [];
      const watch = (leader: number): void => {
        watched.push(leader);
        this.orphans.add(leader);
      };
      if (child.pid !== undefined) watch(child.pid);
      const started: Started = make(
        {
          child,
          group,
          network,
          onInit: watch,
          onGone: () => {
            this.alive.delete(started);
            for (const leader of watched) this.orphans.remove(leader);
            giveBack();
          },
        },
        hostUser,
      );
      this.alive.add(started);
      return started;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** Lends to a process that a template forks. It needs no watch for orphans, because it dies with its template. */
  fork<Forked extends Destroyable>(groupLimits: GroupLimits, make: (parts: LentParts) => Forked): Forked {
    const tenant = new Tenant(this.users);
    let group: ResourceGroup | undefined;
    try {
      group = this.groups.create(groupLimits);
      group.closeEntrances();
      const forked: Forked = make({
        group,
        user: hostUserOf(tenant),
        onGone: () => {
          this.alive.delete(forked);
          tenant.giveBack();
        },
      });
      this.alive.add(forked);
      return forked;
    } catch (error) {
      void group?.remove();
      tenant.giveBack();
      throw error;
    }
  }

  /** Ends everything that was started. */
  async close(): Promise<void> {
    await Promise.all([...this.alive].map((each) => each.destroy()));
    this.orphans.close();
    await this.groups.close();
    this.shield.close();
  }

  private spawn({ command, bounds, user, group, listener }: SpawnParts): ReturnType<typeof spawn> {
    const hasCgroup = group.entrances.length > 0;
    // A second service on this machine may lend the same user, so the cgroup, where there is one, is the better limit.
    const unbounded = hasCgroup ? { dataBytes: null, processes: null } : {};
    const script = launchScript({ ...bounds, ...unbounded, cgroups: group.entrances.length });
    const stdio: ('pipe' | number)[] = ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', ...group.entrances];
    if (listener !== undefined) stdio[LISTEN_DESCRIPTOR] = listener;
    try {
      return spawn('/bin/sh', ['-c', script, 'sh', ...command], {
        // bubblewrap's own environment is readable inside, in /proc/1/environ, whatever it passes on.
        env: {},
        cwd: '/',
        detached: true,
        ...(user ?? {}),
        stdio: this.shield.cover(stdio),
      });
    } catch (error) {
      void group.remove();
      throw error;
    } finally {
      group.closeEntrances();
    }
  }
}
