import { Injectable } from '@nestjs/common';
import { type StoredBytesOfProject, StoredBytesStore } from './persistence/stored-bytes.store.js';

export type { StoredBytesOfProject };

/** The storage used by deploys. Each deploy counts in full, even if it shares files with others. */
@Injectable()
export class StoredBytes {
  constructor(private readonly store: StoredBytesStore) {}

  /** Returns the bytes of all deploys of the organization. */
  of(orgId: string): Promise<number> {
    return this.store.ofOrganization(orgId);
  }

  /** Returns the largest projects of the organization, the largest first. */
  largestProjects(orgId: string, limit: number): Promise<StoredBytesOfProject[]> {
    return this.store.largestProjects(orgId, limit);
  }

  /** Returns the bytes of every project that has stored files. */
  ofAllProjects(): Promise<StoredBytesOfProject[]> {
    return this.store.allProjects();
  }
}
