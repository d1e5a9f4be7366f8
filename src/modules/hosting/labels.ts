import { createHash } from 'node:crypto';
import { trimEnd } from '../../platform/text/trim.js';

/** A label of the domain name system has no more. */
const MAX_LENGTH = 63;
const TAG_LENGTH = 10;
/** What a project's slug may take of a label that names a branch as well. */
const MAX_SLUG_BESIDE_BRANCH = 30;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** The parts of a project that its labels are made of. */
export interface LabelledProject {
  readonly id: string;
  readonly slug: string;
}

/*
 * Slugs belong to an organization and the domain belongs to everybody, so labels made of slugs end in a tag: 50 bits of
 * a hash over the project's id and the branch. The label of a deploy has none, it is `dpl-` and the 26 characters of
 * its id, and no other label can look like that: what follows the last hyphen of the others is ten characters long.
 */

/** `dpl-01jd3m8yeqf5rb0xkq5ym8s6tn`: always this deploy. */
export function deployLabel(deployId: string): string {
  return deployId.replaceAll('_', '-').toLowerCase();
}

/** `shop-new-cart-x7qf2m4kab`: what the branch was last deployed as. */
export function branchLabel(project: LabelledProject, branch: string): string {
  const slug = cut(project.slug, MAX_SLUG_BESIDE_BRANCH);
  const name = branch
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '');
  return tagged(`${slug}-${name}`, ['branch', project.id, branch]);
}

/** `shop-k3f9x2a7cd`: what the project shows the world. */
export function productionLabel(project: LabelledProject): string {
  return tagged(project.slug, ['production', project.id]);
}

function tagged(text: string, of: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(of)).digest();
  const tag = Array.from({ length: TAG_LENGTH }, (_, index) => BASE32[digest[index]! & 31]).join('');
  return `${cut(text, MAX_LENGTH - TAG_LENGTH - 1)}-${tag}`;
}

const cut = (text: string, length: number): string => trimEnd(text.slice(0, length), '-');
