import fc from 'fast-check';
import { branchLabel, deployLabel, productionLabel } from './labels.js';

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const DEPLOY = 'dpl_01jd3m8yeqf5rb0xkq5ym8s6tn';

const slugs = fc.stringMatching(/^[a-z0-9](-?[a-z0-9]){0,62}$/).filter((slug) => slug.length <= 63);
const projects = fc.record({ id: fc.stringMatching(/^prj_[0-9a-z]{26}$/), slug: slugs });

describe('labels', () => {
  it('name what they lead to', () => {
    const project = { id: 'prj_01jd3m8yeqf5rb0xkq5ym8s6tn', slug: 'shop' };
    expect(deployLabel(DEPLOY)).toBe('dpl-01jd3m8yeqf5rb0xkq5ym8s6tn');
    expect(productionLabel(project)).toMatch(/^shop-[a-z2-7]{10}$/);
    expect(branchLabel(project, 'Feature/New Cart!')).toMatch(/^shop-feature-new-cart-[a-z2-7]{10}$/);
  });

  it('are labels of the domain name system, whatever slug and branch are', () => {
    fc.assert(
      fc.property(projects, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 255 }), (project, branch) => {
        for (const label of [productionLabel(project), branchLabel(project, branch)]) {
          expect(label).toMatch(LABEL);
          expect(label.startsWith('xn--')).toBe(false);
          expect(label).not.toMatch(/^dpl-[0-9a-z]{26}$/);
        }
      }),
    );
  });

  it('differ between projects with one slug, and between branches that read alike', () => {
    const [ours, theirs] = [
      { id: 'prj_a', slug: 'shop' },
      { id: 'prj_b', slug: 'shop' },
    ];
    const labels = [
      productionLabel(ours),
      productionLabel(theirs),
      branchLabel(ours, 'a/b'),
      branchLabel(ours, 'a-b'),
      branchLabel(theirs, 'a-b'),
      branchLabel(ours, 'A-b'),
      branchLabel(ours, 'production'),
      branchLabel(ours, `${'long'.repeat(30)}1`),
      branchLabel(ours, `${'long'.repeat(30)}2`),
    ];
    expect(new Set(labels).size).toBe(labels.length);
  });
});
