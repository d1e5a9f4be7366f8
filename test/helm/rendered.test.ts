import { join } from 'node:path';
import { CHART, helm, NEWEST_HELM, OLDEST_HELM, render, VALUE_FILES } from './helm.js';
import { faultsBySchema, faultsByType } from './schema-faults.js';

/** Each object by its kind and name, so that a comparison names what differs. */
const byName = (objects: ReturnType<typeof render>): Record<string, unknown> =>
  Object.fromEntries(objects.map((object) => [`${object.kind}/${object.metadata.name}`, object]));

describe('the chart, by Helm', () => {
  it('is tested with Helm 3.8 and Helm 4', () => {
    expect(helm(['version', '--short'], OLDEST_HELM).stdout).toMatch(/^v3\.8\./);
    expect(helm(['version', '--short'], NEWEST_HELM).stdout).toMatch(/^v4\./);
  });

  describe.each(VALUE_FILES)('with %s', (values) => {
    it.each([OLDEST_HELM, NEWEST_HELM])('passes the linter of %s', (program) => {
      const { status, stdout, stderr } = helm(
        ['lint', '--strict', CHART, '-f', join(CHART, 'ci', `${values}.yaml`)],
        program,
      );
      expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' });
    });

    it('renders the same objects by both', () => {
      const objects = render(values);
      expect(Object.keys(byName(objects))).toHaveLength(objects.length);
      expect(byName(render(values, [], OLDEST_HELM))).toEqual(byName(objects));
    });
  });

  it('renders objects that Kubernetes, KEDA and the Prometheus Operator have schemas for, and that meet them', () => {
    const objects = VALUE_FILES.flatMap((values) => render(values));
    expect(objects.length).toBeGreaterThan(100);
    expect(faultsBySchema(objects)).toEqual([]);
    expect(faultsByType(objects)).toEqual([]);
  });

  it('would fail for a wrong format, a missing field and a field that does not exist', () => {
    const [pdb] = render('minimal').filter(({ kind }) => kind === 'PodDisruptionBudget');
    const deployment = render('minimal').find(({ kind }) => kind === 'Deployment')!;
    deployment.spec.template.spec.containers[0].ports[0].containerPort = 'http';
    delete deployment.spec.selector;
    expect(faultsBySchema([deployment]).join()).toMatch(/containerPort/);
    expect(faultsBySchema([deployment]).join()).toMatch(/selector/);
    expect(faultsBySchema([{ ...pdb!, kind: 'Budget' }])).toEqual([expect.stringContaining('no schema')]);
    const typo = render('minimal').find(({ kind }) => kind === 'Deployment')!;
    typo.spec.template.spec.containers[0].livenesProbe = {};
    expect(faultsByType([typo])).toEqual([expect.stringContaining('livenesProbe')]);
  });
});
