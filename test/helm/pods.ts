import type { Rendered } from './helm.js';

/** A workload with the template of its pods. */
export interface Workload {
  readonly name: string;
  readonly kind: string;
  /** `api`, `edge`, `worker`, `databases` or `migrate`. */
  readonly role: string;
  readonly object: Rendered;
  readonly labels: Readonly<Record<string, string>>;
  readonly pod: any;
  readonly container: any;
}

const KINDS = ['Deployment', 'StatefulSet', 'Job'];

export function workloadsOf(objects: readonly Rendered[]): Workload[] {
  return objects
    .filter(({ kind }) => KINDS.includes(kind))
    .map((object) => {
      const { metadata, spec: pod } = object.spec.template;
      expect(pod.containers).toHaveLength(1);
      expect(pod.initContainers).toBeUndefined();
      return {
        name: object.metadata.name,
        kind: object.kind,
        role: metadata.labels['app.kubernetes.io/component'],
        object,
        labels: metadata.labels,
        pod,
        container: pod.containers[0],
      };
    });
}

export const ofKind = (objects: readonly Rendered[], kind: string): Rendered[] =>
  objects.filter((object) => object.kind === kind);

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: unknown;
}

/** Whether a selector of Kubernetes, without expressions, selects these labels. An empty one selects everything. */
export function selects(selector: Selector, labels: Readonly<Record<string, string>>): boolean {
  expect(selector.matchExpressions).toBeUndefined();
  return Object.entries(selector.matchLabels ?? {}).every(([name, value]) => labels[name] === value);
}
