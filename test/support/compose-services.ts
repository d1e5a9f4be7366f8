import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PROJECT_ROOT } from '../../src/platform/version.js';

interface ComposeService {
  readonly image: string;
  readonly command: string[];
  /** Empty ones are null. */
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly read_only?: boolean;
  readonly tmpfs?: string[];
  readonly cap_drop?: string[];
  readonly security_opt?: string[];
  readonly pids_limit?: number;
  readonly devices?: string[];
  readonly volumes?: string[];
  readonly networks: string[];
  readonly stop_grace_period: string;
}

/** Podman's word where it differs from Docker's. */
const SECURITY_OPTIONS: Readonly<Record<string, string | null>> = {
  'systempaths=unconfined': 'unmask=ALL',
  // Podman refuses it where the kernel has no AppArmor.
  'apparmor=unconfined': existsSync('/sys/kernel/security/apparmor') ? 'apparmor=unconfined' : null,
};

/** A service of deploy/compose.yml, with the variables of `deploy/.env`. */
export class ComposedService {
  private readonly service: ComposeService;

  constructor(
    readonly name: string,
    variables: Readonly<Record<string, string>> = {},
  ) {
    const text = readFileSync(join(PROJECT_ROOT, 'deploy/compose.yml'), 'utf8').replace(
      /\$\{(\w+):([-?])([^}]*)\}/g,
      // A test gives values to those that it needs.
      (_all, variable: string, kind: string, value: string) =>
        variables[variable] ?? (kind === '-' ? value : 'not-given'),
    );
    const { services } = parse(text, { merge: true }) as { services: Record<string, ComposeService> };
    this.service = services[name]!;
  }

  get command(): readonly string[] {
    return this.service.command;
  }

  get networks(): readonly string[] {
    return this.service.networks;
  }

  get graceMs(): number {
    return 1_000 * Number(/^(\d+)s$/.exec(this.service.stop_grace_period)![1]);
  }

  /** What the container may do, and what of it can be written, as options of `podman run`. */
  restrictions(): string[] {
    const { read_only: readOnly, tmpfs = [], cap_drop: drop = [], security_opt: security = [] } = this.service;
    const { pids_limit: pids } = this.service;
    return [
      ...(pids === undefined ? [] : ['--pids-limit', String(pids)]),
      ...(readOnly === true ? ['--read-only'] : []),
      ...tmpfs.flatMap((place) => ['--tmpfs', place]),
      ...drop.flatMap((capability) => ['--cap-drop', capability]),
      ...security
        .map((option) => (option in SECURITY_OPTIONS ? SECURITY_OPTIONS[option] : option))
        .flatMap((option) => (option == null ? [] : ['--security-opt', option])),
    ];
  }

  /** @param directory where a device is made that everyone may open, as most systems have it. */
  devices(directory: string): string[] {
    return (this.service.devices ?? []).flatMap((device) => {
      const open = join(directory, device.replaceAll('/', '-'));
      if (!existsSync(open)) spawnSync('mknod', ['--mode=666', open, 'c', '10', '200']);
      return ['--device', `${open}:${device}`];
    });
  }

  volumes(): string[] {
    return (this.service.volumes ?? []).flatMap((volume) => ['--volume', volume]);
  }

  environment(): string[] {
    return Object.entries(this.service.environment ?? {}).flatMap(([name, value]) => [
      '--env',
      `${name}=${value ?? ''}`,
    ]);
  }
}
