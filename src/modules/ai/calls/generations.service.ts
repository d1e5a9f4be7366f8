import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import type { Call } from '../../auth/caller.js';
import { GenerationNotFound } from '../ai.errors.js';
import type { Generation } from '../persistence/generation.entity.js';
import { type GenerationFilter, GenerationsStore } from '../persistence/generations.store.js';

/** Shows what generations used and cost. */
@Injectable()
export class GenerationsService {
  constructor(private readonly generations: GenerationsStore) {}

  /** Returns the newest generations of the organization of the call first. */
  list({ org }: Call, filter: GenerationFilter, page: PageRequest): Promise<Page<Generation>> {
    return this.generations.list(org.id, filter, page);
  }

  /** @throws {GenerationNotFound} `generation_not_found` */
  async get({ principal }: Call, id: string): Promise<Generation> {
    const generation = await this.generations.find(id, principal.lookupOrgIds);
    if (generation === null) throw new GenerationNotFound(id);
    principal.require('ai:invoke', generation.orgId);
    return generation;
  }
}
