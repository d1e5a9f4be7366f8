import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { type HostUser, TRIAL_USER } from '../host-users.js';
import { rulesetOf } from './network-rules.js';

const PLACES = ['/usr/bin', '/usr/sbin', '/bin', '/sbin', '/usr/local/bin', '/usr/local/sbin'] as const;
/** The programs, and the packages that have them. */
const PACKAGES = { slirp4netns: 'slirp4netns', nft: 'nftables', nsenter: 'util-linux', unshare: 'util-linux' } as const;
const TUNNEL_DEVICE = '/dev/net/tun';
const WRITE_BY_OTHERS = 0o002;
/** None of these commands waits for anything but the kernel. */
const COMMAND_TIMEOUT_MS = 10_000;
const MOST_OUTPUT = 16_384;

/** The descriptors at which a command inside of a network finds the two namespaces. */
export const USER_NAMESPACE_DESCRIPTOR = 3;
export const NETWORK_NAMESPACE_DESCRIPTOR = 4;

/** The open namespaces of one program. */
export interface Namespaces {
  readonly user: number;
  readonly network: number;
}

/** The programs of the system that give isolated programs a network: util-linux, nftables and slirp4netns. */
export class NetworkTools {
  private readonly places: readonly string[];
  private attempt: Promise<string[]> | undefined;

  constructor(places: readonly string[] = PLACES) {
    this.places = places;
  }

  get unshare(): string {
    return this.require('unshare');
  }

  get nsenter(): string {
    return this.require('nsenter');
  }

  get nft(): string {
    return this.require('nft');
  }

  get slirp(): string {
    return this.require('slirp4netns');
  }

  /** True when root must open the device itself, because it is not open to everyone as on most systems. */
  get isTunnelOfRoot(): boolean {
    return (statSync(TUNNEL_DEVICE).mode & WRITE_BY_OTHERS) === 0;
  }

  /** Returns what is missing, each as the thing to install or set. An attempt is made once. */
  missing(): Promise<string[]> {
    this.attempt ??= this.find(process.getuid?.() === 0 ? TRIAL_USER : null);
    return this.attempt;
  }

  /** Runs a command as the owner of the network and inside of it. @throws {Error} with what it printed. */
  runInside(namespaces: Namespaces, user: HostUser | null, command: readonly string[], input: string): Promise<string> {
    const child = spawn(
      this.nsenter,
      [
        '--preserve-credentials',
        `--user=/proc/self/fd/${USER_NAMESPACE_DESCRIPTOR}`,
        `--net=/proc/self/fd/${NETWORK_NAMESPACE_DESCRIPTOR}`,
        '--',
        ...command,
      ],
      {
        env: {},
        cwd: '/',
        ...(user ?? {}),
        stdio: ['pipe', 'pipe', 'pipe', namespaces.user, namespaces.network],
      },
    );
    return outcomeOf(child, input);
  }

  private async find(user: HostUser | null): Promise<string[]> {
    const absent = Object.entries(PACKAGES).filter(([program]) => this.path(program) === undefined);
    if (absent.length > 0) return absent.map(([program, name]) => `the package ${name} (${program} was not found)`);
    if (!existsSync(TUNNEL_DEVICE)) return [`the device ${TUNNEL_DEVICE} (in Docker: --device ${TUNNEL_DEVICE})`];
    if (user === null && !canOpen(TUNNEL_DEVICE)) return [`access to ${TUNNEL_DEVICE} (chmod 666 ${TUNNEL_DEVICE})`];
    return this.tryRules(user);
  }

  /** A kernel may lack a part of nftables, and a machine may forbid namespaces, which no file tells. */
  private async tryRules(user: HostUser | null): Promise<string[]> {
    const child = spawn(this.unshare, ['--user', '--map-root-user', '--net', '--', this.nft, '-f', '-'], {
      env: {},
      cwd: '/',
      ...(user ?? {}),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    try {
      const one = { address: '10.0.0.0', port: null };
      await outcomeOf(
        child,
        rulesetOf({ reach: 'listed', listed: [one], exempt: [{ ...one, port: 1 }], refused: ['10.0.0.0/8'] }),
      );
      return [];
    } catch (error) {
      return [`a kernel that takes the rules of nft in a user namespace: ${(error as Error).message}`];
    }
  }

  private require(program: string): string {
    const found = this.path(program);
    if (found === undefined) throw new Error(`${program} is not installed.`);
    return found;
  }

  private path(program: string): string | undefined {
    return this.places.map((place) => join(place, program)).find((path) => existsSync(path));
  }
}

/** Resolves with what the command printed. @throws {Error} when it failed or took too long. */
function outcomeOf(child: ChildProcess, input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    let complaint = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_TIMEOUT_MS);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (printed.length < MOST_OUTPUT) printed += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (complaint.length < MOST_OUTPUT) complaint += text;
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (status) => {
      clearTimeout(timer);
      if (status === 0) resolve(printed);
      else reject(new Error(complaint.trim().split('\n')[0] ?? `status ${status ?? 'unknown'}`));
    });
  });
}

function canOpen(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
