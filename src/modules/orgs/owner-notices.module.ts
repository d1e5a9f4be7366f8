import { Module } from '@nestjs/common';
import { OrgDirectoryModule } from './org-directory.module.js';
import { OwnerNotices } from './owner-notices.js';

/** Apart from the directory, which also serves processes that know no people. */
@Module({ imports: [OrgDirectoryModule], providers: [OwnerNotices], exports: [OwnerNotices] })
export class OwnerNoticesModule {}
