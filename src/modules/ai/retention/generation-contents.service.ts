import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { GenerationContentNotFound, GenerationNotFound } from '../ai.errors.js';
import { GenerationContentsStore, type KeptContent } from '../persistence/generation-contents.store.js';
import { GenerationsStore } from '../persistence/generations.store.js';
import { ContentVault } from './content-vault.js';

/** The texts of a generation. */
export interface ShownContent extends Omit<KeptContent, 'request' | 'answer'> {
  /** The body of the request, as JSON. */
  readonly request: string;
  /** The body of the answer, as far as the caller got it. */
  readonly answer: string;
}

/** Shows texts of generations to members of their organization. */
@Injectable()
export class GenerationContentsService {
  constructor(
    private readonly generations: GenerationsStore,
    private readonly contents: GenerationContentsStore,
    private readonly vault: ContentVault,
    private readonly clock: Clock,
  ) {}

  /**
   * Needs two scopes: a key that only calls models, and a viewer, see no texts of others.
   *
   * @throws {GenerationNotFound} `generation_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {GenerationContentNotFound} `generation_content_not_found`
   */
  async get({ principal }: Call, id: string): Promise<ShownContent> {
    const generation = await this.generations.find(id, principal.lookupOrgIds);
    if (generation === null) throw new GenerationNotFound(id);
    principal.require('orgs:read', generation.orgId);
    principal.require('ai:invoke', generation.orgId);
    const content = await this.contents.find(generation.orgId, id, this.clock.now());
    if (content === undefined) throw new GenerationContentNotFound(id);
    return { ...content, ...this.vault.open(content) };
  }
}
