import { Module } from '@nestjs/common';
import { StoredBytesModule } from '../hosting/stored-bytes.module.js';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { RepositoriesModule } from '../repositories/repositories.module.js';
import { UploadContent } from './content/upload-content.js';
import { UploadRoom } from './content/upload-room.js';
import { UploadsPersistenceModule } from './persistence/uploads-persistence.module.js';
import { UploadSources } from './upload-sources.js';
import { UploadsService } from './uploads.service.js';

@Module({
  imports: [OrgDirectoryModule, ProjectsModule, RepositoriesModule, StoredBytesModule, UploadsPersistenceModule],
  providers: [UploadContent, UploadRoom, UploadSources, UploadsService],
  exports: [UploadSources, UploadsService],
})
export class UploadsModule {}
