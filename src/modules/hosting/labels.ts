import { createHash } from 'node:crypto';
import { trimEnd } from '../../platform/text/trim.js';

/** The longest label in DNS. */
const MAX_LENGTH = 63;
const TAG_LENGTH = 10;
/** The longest part of a project's slug in the label of a branch. */
const MAX_SLUG_BESIDE_BRANCH = 30;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** The properties of a project that its labels contain. */
export interface LabelledProject {
  readonly id: string;
  readonly slug: string;
}

/*
 * Slugs are unique in an organization, but all organizations share the domain. Labels with a slug therefore end in a
 * tag: 50 bits of a hash over the project's id and the branch. The label of a deploy is `dpl-` and the 26 characters of
 * its id. It cannot collide with the others, because their last part has ten characters.
 */

/** Returns `dpl-01jd3m8yeqf5rb0xkq5ym8s6tn`, which always serves this deploy. */
export function deployLabel(deployId: string): string {
  return deployId.replaceAll('_', '-').toLowerCase();
}

/** Returns `shop-new-cart-x7qf2m4kab`, which serves the latest deploy of the branch. */
export function branchLabel(project: LabelledProject, branch: string): string {
  const slug = cut(project.slug, MAX_SLUG_BESIDE_BRANCH);
  const name = branch
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '');
  return tagged(`${slug}-${name}`, ['branch', project.id, branch]);
}

/** Returns `shop-k3f9x2a7cd`, which serves the production deploy. */
export function productionLabel(project: LabelledProject): string {
  return tagged(project.slug, ['production', project.id]);
}

function tagged(text: string, of: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(of)).digest();
  const tag = Array.from({ length: TAG_LENGTH }, (_, index) => BASE32[digest[index]! & 31]).join('');
  return `${cut(text, MAX_LENGTH - TAG_LENGTH - 1)}-${tag}`;
}

const cut = (text: string, length: number): string => trimEnd(text.slice(0, length), '-');
