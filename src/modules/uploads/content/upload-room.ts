import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { StoredBytes } from '../../hosting/stored-bytes.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { PLANS, storedBytesOf as limitOf } from '../../plans/plan.js';
import { PlansSettings } from '../../plans/plans.settings.js';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { type AnnouncedFile, contentsOf, listBytesOf, storedBytesOf } from '../domain/upload-files.js';
import type { UploadStore } from '../persistence/upload.js';
import { UploadsStore } from '../persistence/uploads.store.js';
import { UploadStorageFull, UploadTooLarge } from '../uploads.errors.js';
import { UPLOAD_STORE_ID } from '../uploads.ids.js';
import { UploadsSettings } from '../uploads.settings.js';

type Owner = Omit<UploadStore, 'id'>;

/**
 * Decides what an upload may store. What is announced counts as if it were stored, so that concurrent uploads cannot
 * exceed the limits together. Lists of files count as well: many small or unchanged files take space, too.
 */
@Injectable()
export class UploadRoom {
  constructor(
    private readonly settings: UploadsSettings,
    private readonly planSettings: PlansSettings,
    private readonly uploads: UploadsStore,
    private readonly deploys: StoredBytes,
    private readonly orgs: OrgDirectory,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** @throws {UploadTooLarge} `upload_too_large` */
  requireSize(bytes: number): void {
    if (bytes > this.settings.maxBytes) throw new UploadTooLarge(bytes, this.settings.maxBytes);
  }

  /**
   * Announces the content of files in the running transaction, in which the uploads of the organization are locked. A
   * project whose store is full starts with an empty one.
   *
   * @throws {RequestInvalid} `invalid_request` when content that is stored is announced with another size.
   * @throws {UploadStorageFull} `upload_storage_full`
   */
  async take(owner: Owner, files: readonly AnnouncedFile[]): Promise<{ storeId: string; missing: string[] }> {
    const sizes = contentsOf(files);
    const listBytes = listBytesOf(files);
    const now = this.clock.now();
    let store = await this.uploads.currentStore(owner.projectId);
    let known = store === undefined ? new Map<string, never>() : await this.uploads.blobs(store.id, [...sizes.keys()]);
    const fresh = listBytes + storedBytesOf(unknownOf(sizes, known));
    if (store !== undefined && (await this.uploads.bytesOfStore(store.id)) + fresh > this.settings.storeBytes) {
      await this.uploads.retireStore(store.id, now);
      store = undefined;
      known = new Map();
    }
    if (store === undefined) {
      store = { id: this.ids.next(UPLOAD_STORE_ID), ...owner };
      await this.uploads.addStore(store, now);
    }
    const missing = [...sizes].filter(([hash, bytes]) => !isStored(hash, bytes, known.get(hash)));
    await this.requireStorage(owner.orgId, listBytes + storedBytesOf(unknownOf(sizes, known)));
    await this.uploads.announce(store.id, new Map(missing));
    await this.uploads.useStore(store.id, { listBytes, at: now });
    return { storeId: store.id, missing: missing.map(([hash]) => hash) };
  }

  private async requireStorage(orgId: string, bytes: number): Promise<void> {
    const plan = PLANS[(await this.orgs.planOf(orgId)) ?? 'free'];
    const limitBytes = limitOf(plan);
    const usedBytes = (await this.deploys.of(orgId)) + (await this.uploads.bytesOfOrganization(orgId));
    if (usedBytes + bytes > limitBytes)
      throw new UploadStorageFull({ planName: plan.name, limitBytes, usedBytes, bytes }, this.planSettings.pricingUrl);
  }
}

/** The sizes of the contents that were never announced. */
const unknownOf = (sizes: ReadonlyMap<string, number>, known: ReadonlyMap<string, unknown>): number[] =>
  [...sizes].flatMap(([hash, bytes]) => (known.has(hash) ? [] : [bytes]));

function isStored(hash: string, bytes: number, known: { bytes: number; isStored: boolean } | undefined): boolean {
  if (known?.isStored !== true) return false;
  if (known.bytes === bytes) return true;
  throw new RequestInvalid([
    {
      path: 'files',
      in: 'body',
      code: 'is_size_of_content',
      message: `The content ${hash} has ${known.bytes} bytes, and the upload announces ${bytes}.`,
    },
  ]);
}
