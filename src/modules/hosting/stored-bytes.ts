import { Injectable } from '@nestjs/common';
import { type StoredBytesOfProject, StoredBytesStore } from './persistence/stored-bytes.store.js';

export type { StoredBytesOfProject };

/** What the files of deploys come to: each deploy counts whole, also where it shares files with others. */
@Injectable()
export class StoredBytes {
  constructor(private readonly store: StoredBytesStore) {}

  /** Of all deploys of the organization that have files. */
  of(orgId: string): Promise<number> {
    return this.store.ofOrganization(orgId);
  }

  /** The projects of the organization with the most, the largest first. */
  largestProjects(orgId: string, limit: number): Promise<StoredBytesOfProject[]> {
    return this.store.largestProjects(orgId, limit);
  }

  /** Of every project that has any. */
  ofAllProjects(): Promise<StoredBytesOfProject[]> {
    return this.store.allProjects();
  }
}
