import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Rendered } from '../helm/helm.js';
import { workloadsOf } from '../helm/pods.js';
import { type ContainerEngine, containerLimits } from './container-engine.js';
import { SERVICE_IMAGE } from './container-images.js';

const RUNTIME = `#!/bin/bash
previous=
for word in "$@"; do
  [ "$previous" != --bundle ] || bundle=$word
  previous=$word
done
[ -z "$bundle" ] || '${process.execPath}' -e '
  const { readFileSync, writeFileSync } = require("node:fs");
  const config = JSON.parse(readFileSync(process.argv[1], "utf8"));
  Object.assign(config.linux, { maskedPaths: [], readonlyPaths: [] });
  writeFileSync(process.argv[1], JSON.stringify(config));
' "$bundle/config.json"
exec runc "$@"
`;

/** The port of this machine at which a port of a pod is published. */
export type PublishedPorts = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface PlayOptions {
  readonly network: string;
  readonly address: string;
  /** Addresses of names that a cluster would resolve. */
  readonly hosts: Readonly<Record<string, string>>;
  readonly ports: PublishedPorts;
}

/**
 * Plays workloads of the rendered chart with `podman kube play`, which knows Pods, Deployments, claims and ConfigMaps.
 * What podman 4.3 needs in other words is changed here, and nothing else of an object is:
 *
 * - A Job is not known: its pod is played by itself.
 * - There are no Services: their names are `hostAliases`, and each `containerPort` is published at a free port.
 * - `fsGroup` is ignored: the claim belongs to the user. An `emptyDir` gets the owner that the image has there.
 * - `seccompProfile` is read from the annotation that it was before Kubernetes 1.19.
 * - `procMount` is ignored: the runtime is runc with what containerd does about it.
 * - `hostUsers: false` is true: in a user namespace, podman fails to copy what the image has at /data into the volume.
 *
 * It leaves out without a word: `appArmorProfile`, accounts, start-up and readiness probes, and what places pods on
 * nodes.
 */
export class KubePods {
  /** podman refuses a claim that is there. */
  private readonly claimed = new Set<string>();

  constructor(
    private readonly engine: ContainerEngine,
    private readonly objects: readonly Rendered[],
  ) {}

  /** What a Secret of the operator would have, in the form of podman 4.3. */
  async createSecret(name: string, values: Readonly<Record<string, string>>): Promise<void> {
    const data = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    );
    const file = join(this.engine.directory, `${name}.json`);
    writeFileSync(file, JSON.stringify(data), { mode: 0o600 });
    await this.engine.podman(['secret', 'create', name, file]);
  }

  /** Returns the name of the container. */
  async play(role: string, options: PlayOptions): Promise<string> {
    const [workload] = workloadsOf(this.objects).filter((each) => each.role === role);
    const { object, name, kind } = structuredClone(workload!);
    const { metadata, spec } = object.spec.template;
    spec.hostAliases = Object.entries(options.hosts).map(([host, ip]) => ({ ip, hostnames: [host] }));
    const [container] = spec.containers;
    for (const port of container.ports ?? [])
      Object.assign(port, { hostIP: '127.0.0.1', hostPort: options.ports[role]?.[port.name] });
    const { seccompProfile, procMount } = container.securityContext;
    metadata.annotations = {
      ...metadata.annotations,
      ...(seccompProfile.type === 'Unconfined' ? { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' } : {}),
    };
    if (spec.hostUsers === false) spec.hostUsers = true;
    const runtime = procMount === 'Unmasked' ? ['--runtime', this.runtime()] : [];
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name }, spec };
    const file = join(this.engine.directory, `${role}.yaml`);
    writeFileSync(
      file,
      [...this.used(spec), kind === 'Job' ? pod : object].map((each) => stringify(each)).join('---\n'),
    );
    await this.engine.podman(
      [...runtime, 'kube', 'play', '--network', `${options.network}:ip=${options.address}`, file],
      {
        env: this.environment(),
        withinMs: 120_000,
      },
    );
    return kind === 'Job' ? `${name}-${role}` : `${name}-pod-0-${role}`;
  }

  async remove(): Promise<void> {
    await this.engine.attempt(['pod', 'rm', '--all', '--force', '--time', '0']);
  }

  /** The ConfigMaps and claims that a pod names. */
  private used(spec: any): Rendered[] {
    const text = JSON.stringify(spec);
    return structuredClone(this.objects)
      .filter(
        ({ kind, metadata }) =>
          ['ConfigMap', 'PersistentVolumeClaim'].includes(kind) &&
          text.includes(metadata.name) &&
          !this.claimed.has(metadata.name),
      )
      .map((object) => {
        if (object.kind === 'ConfigMap') return object;
        this.claimed.add(object.metadata.name);
        const owner = { 'volume.podman.io/uid': '10001', 'volume.podman.io/gid': '10001' };
        return {
          ...object,
          metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...owner } },
        };
      });
  }

  private runtime(): string {
    const file = join(this.engine.directory, 'runc-with-proc-mount');
    writeFileSync(file, RUNTIME);
    chmodSync(file, 0o755);
    return file;
  }

  /** `kube play` takes no limits, and its probes are timers of systemd, which is not here. */
  private environment(): Record<string, string> {
    const file = join(this.engine.directory, 'kube.conf');
    const limits = containerLimits().map((limit) => JSON.stringify(limit));
    writeFileSync(file, `[containers]\ndefault_ulimits = [${limits.join(', ')}]\n`);
    return { CONTAINERS_CONF: file, DISABLE_HC_SYSTEMD: 'true' };
  }
}

/** The image as the values of the chart name it. */
export const CHART_IMAGE = { repository: SERVICE_IMAGE, tag: 'latest', pullPolicy: 'Never' };
