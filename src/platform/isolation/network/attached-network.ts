import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';

import { type HostUser } from '../host-users.js';
import { type OrphanWatch } from '../orphan-watch.js';
import { type ResourceGroup } from '../resource-group.js';
import { CARRIER_RANGE, DEVICE, type NetworkRules, replacementOf, rulesetOf } from './network-rules.js';
import {
  type Namespaces,
  NETWORK_NAMESPACE_DESCRIPTOR,
  type NetworkTools,
  USER_NAMESPACE_DESCRIPTOR,
} from './network-tools.js';

const READY_DESCRIPTOR = 5;
const EXIT_DESCRIPTOR = 6;
/** Larger packets are fewer packets; they never leave the machine in this size. */
const PACKET_BYTES = 65_520;
/** Twice the connections that the rules allow. Each is buffered in up to 256 KiB. */
const MOST_FILES = 1_280;
const MOST_MEMORY_KIB = 256 * 1024;
/** The shell waits until its cgroup is set; everything that it becomes has the limits. */
const CARRIER_LIMITS = `ulimit -c 0; ulimit -n ${MOST_FILES}; ulimit -v ${MOST_MEMORY_KIB}`;
const CARRIER_SCRIPT = `read -r _; ${CARRIER_LIMITS}; exec "$@" </dev/null`;
/** The program answers names on the usual port, without any capability. */
const PREPARE_SCRIPT = 'echo 53 >/proc/sys/net/ipv4/ip_unprivileged_port_start; exec "$@"';
const READY_TIMEOUT_MS = 10_000;
const LONGEST_COMPLAINT = 500;

/** What has passed between a program and the network since it was started. */
export interface NetworkCounts {
  readonly sentBytes: number;
  readonly receivedBytes: number;
  /** Attempts to reach something that the rules do not allow. */
  readonly refusals: number;
}

const NOTHING: NetworkCounts = { sentBytes: 0, receivedBytes: 0, refusals: 0 };

/**
 * The network of one launched program outside of its isolation. slirp4netns carries its packets as ordinary sockets of
 * the host; rules of nftables in the program's own network decide, before a packet gets there, where it may go. The
 * program cannot change them: they belong to a user namespace around its own.
 */
export class AttachedNetwork {
  /** Resolves when what carries the packets has ended before the network was closed. */
  readonly lost: Promise<void>;

  private reportLoss: () => void = () => undefined;
  private namespaces: Namespaces | null = null;
  private carrier: ChildProcess | null = null;
  private last = NOTHING;
  private paused = false;
  private closing: Promise<void> | undefined;
  private pending: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly tools: NetworkTools,
    private readonly orphans: OrphanWatch,
    private readonly user: HostUser | null,
    private rules: NetworkRules,
  ) {
    this.lost = new Promise((resolve) => {
      this.reportLoss = resolve;
    });
  }

  /** Prepares the network that a process has just created for itself. The program must not run before this resolves. */
  async attach(pid: number, group: ResourceGroup): Promise<void> {
    const { rules } = this;
    this.namespaces = namespacesOf(pid);
    if (this.closing !== undefined) throw new Error('The network was closed before it was prepared.');
    // Nothing runs in the network yet, so that the rules need not be there before the way out.
    await Promise.all([
      this.inside(['/bin/sh', '-c', PREPARE_SCRIPT, 'sh', this.tools.nft, '-f', '-'], rulesetOf(rules)),
      this.startCarrier(this.namespaces, group),
    ]);
    if (this.rules !== rules) await this.inside([this.tools.nft, '-f', '-'], replacementOf(this.rules));
  }

  /** Replaces the addresses of the rules, but not their reach. What is connected remains connected. */
  async replace(rules: NetworkRules): Promise<void> {
    if (isDeepStrictEqual(rules, this.rules)) return;
    this.rules = rules;
    if (this.carrier === null || this.closing !== undefined) return;
    await this.inside([this.tools.nft, '-f', '-'], replacementOf(rules));
  }

  /** Returns the counts of now, or the last known ones where they can no longer be read. */
  async counts(): Promise<NetworkCounts> {
    if (this.namespaces === null || (this.closing !== undefined && this.carrier === null)) return this.last;
    try {
      this.last = countsIn(await this.inside([this.tools.nft, '-j', 'list', 'counters'], ''));
    } catch {
      // The last known counts are the best answer.
    }
    return this.last;
  }

  /** The process that carries the packets; null before and after. */
  get carrierPid(): number | null {
    return this.carrier?.pid ?? null;
  }

  get isPaused(): boolean {
    return this.paused;
  }

  /** While the program is frozen, its network needs no processor time either. */
  pause(): void {
    this.paused = true;
    this.signal('SIGSTOP');
  }

  resume(): void {
    if (this.paused) this.signal('SIGCONT');
    this.paused = false;
  }

  /** Ends the network, when nothing runs in it any longer. The counts remain. */
  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    await this.pending.catch(() => undefined);
    if (this.namespaces === null) return;
    await this.counts();
    const { carrier, namespaces } = this;
    this.carrier = null;
    this.namespaces = null;
    closeSync(namespaces.user);
    closeSync(namespaces.network);
    if (carrier?.pid === undefined) return;
    if (carrier.exitCode === null && carrier.signalCode === null) {
      const ended = once(carrier, 'exit');
      carrier.kill('SIGKILL');
      await ended;
    }
    for (const stream of carrier.stdio) stream?.destroy();
    this.orphans.remove(carrier.pid);
  }

  private async startCarrier(namespaces: Namespaces, group: ResourceGroup): Promise<void> {
    // Where only root may open the device, root must start the carrier. It then gives up all capabilities but one.
    const asRoot = this.user !== null && this.tools.isTunnelOfRoot;
    const { nsenter, slirp, unshare } = this.tools;
    const options = [
      '--configure',
      `--mtu=${PACKET_BYTES}`,
      `--cidr=${CARRIER_RANGE}`,
      '--disable-host-loopback',
      '--disable-dns',
      '--enable-sandbox',
      '--enable-seccomp',
      `--ready-fd=${READY_DESCRIPTOR}`,
      `--exit-fd=${EXIT_DESCRIPTOR}`,
      '--netns-type=path',
      ...(asRoot ? [`--userns-path=/proc/self/fd/${USER_NAMESPACE_DESCRIPTOR}`] : []),
      `/proc/self/fd/${NETWORK_NAMESPACE_DESCRIPTOR}`,
      DEVICE,
    ];
    const owner = [nsenter, '--preserve-credentials', `--user=/proc/self/fd/${USER_NAMESPACE_DESCRIPTOR}`, '--'];
    // The sandbox of slirp4netns unmounts all that it sees, and for root that would propagate to the machine.
    const apart = [unshare, '--mount', '--propagation', 'private', '--'];
    const carrier = spawn('/bin/sh', ['-c', CARRIER_SCRIPT, 'sh', ...(asRoot ? apart : owner), slirp, ...options], {
      env: {},
      cwd: '/',
      detached: true,
      ...(asRoot ? {} : (this.user ?? {})),
      stdio: ['pipe', 'ignore', 'pipe', namespaces.user, namespaces.network, 'pipe', 'pipe'],
    });
    this.carrier = carrier;
    for (const stream of carrier.stdio) stream?.on('error', () => undefined);
    if (carrier.pid === undefined) throw new Error('slirp4netns could not be started');
    this.orphans.add(carrier.pid);
    await group.adopt(carrier.pid);
    carrier.stdin?.write('\n');
    await isReady(carrier);
    carrier.once('exit', () => {
      if (this.closing === undefined) this.reportLoss();
    });
    if (carrier.exitCode !== null || carrier.signalCode !== null) throw new Error('slirp4netns has ended');
  }

  /** One command at a time, so that two replacements cannot overtake each other. */
  private inside(command: readonly string[], input: string): Promise<string> {
    const { namespaces } = this;
    if (namespaces === null) return Promise.reject(new Error('The network is closed.'));
    const outcome = this.pending
      .catch(() => undefined)
      .then(() => this.tools.runInside(namespaces, this.user, command, input));
    this.pending = outcome.catch(() => undefined);
    return outcome;
  }

  private signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.carrier?.kill(signal);
  }
}

function namespacesOf(pid: number): Namespaces {
  const user = openSync(`/proc/${pid}/ns/user`, 'r');
  try {
    return { user, network: openSync(`/proc/${pid}/ns/net`, 'r') };
  } catch (error) {
    closeSync(user);
    throw error;
  }
}

/** Resolves when the carrier says that it is ready. @throws {Error} with what it printed, when it ends or is late. */
function isReady(carrier: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let complaint = '';
    const fail = (why: string): void => {
      clearTimeout(timer);
      reject(new Error(`slirp4netns ${why}: ${complaint.trim()}`));
    };
    const timer = setTimeout(() => {
      fail('was not ready in time');
    }, READY_TIMEOUT_MS);
    carrier.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (complaint.length < LONGEST_COMPLAINT) complaint += text;
    });
    carrier.once('error', (error) => {
      fail(error.message);
    });
    carrier.once('exit', () => {
      fail('has ended');
    });
    (carrier.stdio as unknown as Duplex[])[READY_DESCRIPTOR]!.once('data', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

interface ListedCounters {
  readonly nftables: readonly {
    readonly counter?: { readonly name: string; readonly packets: number; readonly bytes: number };
  }[];
}

function countsIn(text: string): NetworkCounts {
  const { nftables } = JSON.parse(text) as ListedCounters;
  const named = (name: string): { packets: number; bytes: number } =>
    nftables.find(({ counter }) => counter?.name === name)?.counter ?? { packets: 0, bytes: 0 };
  return {
    sentBytes: named('sent').bytes,
    receivedBytes: named('received').bytes,
    refusals: named('refusals').packets,
  };
}
