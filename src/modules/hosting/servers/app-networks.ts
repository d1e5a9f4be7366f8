import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { type DnsQuery, TYPES } from '../../../platform/egress/dns-message.js';
import { InternetNames } from '../../../platform/egress/internet-names.js';
import { type NameAnswer, NameServer } from '../../../platform/egress/name-server.js';
import { Isolation } from '../../../platform/isolation/isolation.js';
import type { IsolatedProgram } from '../../../platform/isolation/isolated-program.js';
import type { Mount } from '../../../platform/isolation/isolation-spec.js';
import type { AttachedNetwork, NetworkCounts } from '../../../platform/isolation/network/attached-network.js';
import type { NetworkRules } from '../../../platform/isolation/network/network-rules.js';
import { ProcessDirectories } from '../../../platform/isolation/process-directories.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { ServerDidNotStart } from '../hosting.errors.js';
import { HostingSettings } from '../hosting.settings.js';
import { DestinationBook } from './destination-book.js';

/** A new address of the machine may be assigned at any time. */
const MACHINE_INTERVAL_MS = 5_000;
const NAMES_INTERVAL_MS = 60_000;
const COUNTS_INTERVAL_MS = 30_000;
/** The start of a server does not wait longer for the names of the operator's lists. */
const FIRST_LOOKUP_MS = 1_000;
/** The hyphen tells it from the trees of deploys beside it. */
const DIRECTORY = 'app-networks';
const NAMES_DIRECTORY = '/run/network';
const TTL_SECONDS = 60;
const RESOLV_CONF = 'nameserver 127.0.0.1\noptions timeout:1 attempts:4\n';
const NSSWITCH_CONF = 'hosts: files dns\n';

type Reach = NetworkRules['reach'];

/** What a server needs to be launched with a network. */
export interface PreparedNetwork {
  readonly rules: NetworkRules;
  readonly mounts: readonly Mount[];
  /** Must be called when the program runs; everything ends with it. */
  readonly follow: (program: IsolatedProgram) => void;
  /** Must be called instead of {@link follow} when the program did not start. */
  readonly discard: () => void;
}

interface Follower {
  readonly reach: Reach;
  readonly network: AttachedNetwork;
  readonly program: IsolatedProgram;
  counts: NetworkCounts;
}

const NOTHING: NetworkCounts = { sentBytes: 0, receivedBytes: 0, refusals: 0 };

/** Gives servers of apps the network that their plan allows, and keeps its rules in step with the machine. */
@Injectable()
export class AppNetworks {
  private readonly followers = new Map<string, Follower>();
  private readonly book: DestinationBook;
  private readonly names: InternetNames;
  private before = NOTHING;
  private pushed: Readonly<Record<Reach, string>> = { public: '', listed: '' };
  private timers: NodeJS.Timeout[] = [];
  private firstLookup: Promise<void> | undefined;
  private hasWarned = false;
  private readonly directories: ProcessDirectories;

  constructor(
    private readonly settings: HostingSettings,
    private readonly isolation: Isolation,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.book = new DestinationBook(settings);
    this.directories = new ProcessDirectories(join(settings.serversDirectory, DIRECTORY));
    this.names = new InternetNames(settings.appsNetworkNameServers);
  }

  /** Bytes and refusals of all servers of this process since it started, frozen and ended ones included. */
  get totals(): NetworkCounts {
    return [...this.followers.values()].map(({ counts }) => counts).reduce(sum, this.before);
  }

  /** Bytes and refusals of the running server of a deploy. Null when it has no network here. */
  async countsOf(deployId: string): Promise<NetworkCounts | null> {
    const follower = this.followers.get(deployId);
    if (follower === undefined) return null;
    follower.counts = await follower.network.counts();
    return follower.counts;
  }

  /**
   * Prepares a network for the server of a deploy. Returns null where servers have none.
   * @throws {ServerDidNotStart} when the operator requires a network and this machine has none.
   */
  async prepare(deployId: string, reach: Reach): Promise<PreparedNetwork | null> {
    if (this.settings.appsNetwork === 'off') return null;
    const missing = await this.isolation.missingForNetwork();
    if (missing.length > 0) return this.doWithout(missing);
    await this.keepInStep();
    const directory = await this.directories.make();
    try {
      const [server] = await Promise.all([
        NameServer.listen({ directory, answer: (query) => this.answer(query, reach) }),
        writeFile(join(directory, 'resolv.conf'), RESOLV_CONF, { mode: 0o644 }),
        writeFile(join(directory, 'nsswitch.conf'), NSSWITCH_CONF, { mode: 0o644 }),
      ]);
      const discard = (): void => {
        void server
          .close()
          .then(() => rm(directory, { recursive: true, force: true }))
          .catch(() => undefined);
      };
      return {
        rules: this.book.rules(reach),
        mounts: [
          { from: directory, to: NAMES_DIRECTORY },
          { from: join(directory, 'resolv.conf'), to: '/etc/resolv.conf' },
          { from: join(directory, 'nsswitch.conf'), to: '/etc/nsswitch.conf' },
        ],
        follow: (program) => {
          this.follow(deployId, reach, program, discard);
        },
        discard,
      };
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  private doWithout(missing: readonly string[]): null {
    const text = `Apps have no network on this machine. Missing: ${missing.join(', ')}.`;
    if (this.settings.appsNetwork === 'required') throw new ServerDidNotStart(text);
    if (!this.hasWarned) this.log.warn({ missing }, text);
    this.hasWarned = true;
    return null;
  }

  private follow(deployId: string, reach: Reach, program: IsolatedProgram, discard: () => void): void {
    const { network } = program;
    if (network === null) throw new Error('The program was launched without its network.');
    const follower: Follower = { reach, network, program, counts: NOTHING };
    this.followers.set(deployId, follower);
    // The last server before this one may have ended since it was prepared.
    this.watch();
    // The rules may have changed since the launch began.
    this.push(follower);
    void program.gone.then(async () => {
      discard();
      this.before = sum(this.before, await network.counts());
      if (this.followers.get(deployId) === follower) this.followers.delete(deployId);
      if (this.followers.size === 0) this.rest();
    });
  }

  private async answer({ name, type }: DnsQuery, reach: Reach): Promise<NameAnswer> {
    if (name === 'localhost' || name.endsWith('.localhost'))
      return { code: 'found', records: type === TYPES.A ? [addressRecord('127.0.0.1')] : [] };
    const listed = this.book.addresses(name, reach);
    if (listed !== null)
      return { code: 'found', records: type === TYPES.A ? listed.slice(0, 12).map(addressRecord) : [] };
    if (reach === 'listed') return { code: 'absent', records: [] };
    const rules = this.book.rules(reach);
    return this.names.answer(name, type, (address) => this.book.mayReach(address, rules));
  }

  /** Looks the machine and the names up for a server that starts. */
  private async keepInStep(): Promise<void> {
    this.watch();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FIRST_LOOKUP_MS);
    });
    await Promise.race([this.firstLookup, late]);
    clearTimeout(timer);
  }

  /** Begins to watch the machine and the names, for as long as there are servers with a network. */
  private watch(): void {
    if (this.timers.length > 0) return;
    this.book.lookAtMachine();
    const lookUp = (): Promise<void> =>
      this.lookUp().then(() => {
        this.pushChanges();
      });
    this.timers = [
      setInterval(() => {
        this.book.lookAtMachine();
        this.pushChanges();
      }, MACHINE_INTERVAL_MS),
      setInterval(() => void lookUp(), NAMES_INTERVAL_MS),
      setInterval(() => void this.count(), COUNTS_INTERVAL_MS),
    ];
    for (const timer of this.timers) timer.unref();
    this.firstLookup = lookUp();
  }

  private rest(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.timers = [];
  }

  private lookUp(): Promise<void> {
    return this.book.lookUp(this.clock.now().getTime());
  }

  private pushChanges(): void {
    const now = {
      public: JSON.stringify(this.book.rules('public')),
      listed: JSON.stringify(this.book.rules('listed')),
    };
    for (const follower of this.followers.values())
      if (now[follower.reach] !== this.pushed[follower.reach]) this.push(follower);
    this.pushed = now;
  }

  private push({ network, reach, program }: Follower): void {
    network.replace(this.book.rules(reach)).catch((error: unknown) => {
      if (!program.isAlive) return;
      // Rules that are out of date may allow too much.
      this.log.error({ error }, 'The rules of an app could not be replaced. The app is stopped.');
      void program.destroy();
    });
  }

  private async count(): Promise<void> {
    for (const follower of this.followers.values())
      if (!follower.network.isPaused) follower.counts = await follower.network.counts();
  }
}

const sum = (one: NetworkCounts, other: NetworkCounts): NetworkCounts => ({
  sentBytes: one.sentBytes + other.sentBytes,
  receivedBytes: one.receivedBytes + other.receivedBytes,
  refusals: one.refusals + other.refusals,
});

const addressRecord = (address: string): { type: 'A'; address: string; ttl: number } => ({
  type: 'A',
  address,
  ttl: TTL_SECONDS,
});
