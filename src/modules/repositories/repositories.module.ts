import { Module } from '@nestjs/common';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { GithubModule } from '../github/github.module.js';
import { LimitsModule } from '../limits/limits.module.js';
import { PlansModule } from '../plans/plans.module.js';
import { Directories } from './git/directories.js';
import { GitBackend } from './git/git-backend.js';
import { GitPlaces } from './git/git-places.js';
import { GitPrograms } from './git/git-programs.js';
import { BareRepositories } from './git/bare-repositories.js';
import { KeyedCommits } from './git/keyed-commits.js';
import { RepositoryTrees } from './git/repository-trees.js';
import { RepositoriesHome } from './git/repositories-home.js';
import { GithubHost } from './hosts/github-host.js';
import { OwnHost } from './hosts/own-host.js';
import { RepositoriesCounter } from './persistence/repositories-counter.js';
import { RepositoriesPersistenceModule } from './persistence/repositories-persistence.module.js';
import { FileWrites } from './pushes/file-writes.js';
import { GitSlots } from './pushes/git-slots.js';
import { PushLifecycle } from './pushes/push-lifecycle.js';
import { GitHost } from './pushes/git-host.js';
import { PushAnswer } from './pushes/push-answer.js';
import { PushReporters } from './push-reporters.js';
import { PushRoom } from './pushes/push-room.js';
import { PushedCommits } from './pushes/pushed-commits.js';
import { PushesService } from './pushes/pushes.service.js';
import { REPOSITORIES_METRICS } from './metrics/repositories.metrics.js';
import { RepositoriesService } from './hosted/repositories.service.js';
import { RepositoryFilesService } from './repository-files.service.js';
import { UploadedTrees } from './uploaded-trees.js';
import { RepositorySources } from './repository-sources.js';
import { RepositoryBranches } from './hosted/repository-branches.js';
import { RepositoryUrls } from './hosted/repository-urls.js';
import { TemplateCatalog } from './templates/template-catalog.js';

@Module({
  imports: [GithubModule, LimitsModule, OrgDirectoryModule, PlansModule, RepositoriesPersistenceModule],
  providers: [
    Directories,
    FileWrites,
    GitBackend,
    GitHost,
    GithubHost,
    OwnHost,
    RepositorySources,
    GitPlaces,
    GitPrograms,
    KeyedCommits,
    BareRepositories,
    PushedCommits,
    PushesService,
    GitSlots,
    PushAnswer,
    PushLifecycle,
    PushReporters,
    PushRoom,
    RepositoriesCounter,
    RepositoriesHome,
    RepositoriesService,
    RepositoryBranches,
    RepositoryFilesService,
    RepositoryTrees,
    RepositoryUrls,
    TemplateCatalog,
    UploadedTrees,
    ...REPOSITORIES_METRICS,
  ],
  exports: [
    Directories,
    GitHost,
    BareRepositories,
    PushedCommits,
    PushesService,
    PushReporters,
    RepositoriesService,
    RepositoryBranches,
    RepositoryFilesService,
    RepositorySources,
    RepositoryUrls,
    UploadedTrees,
  ],
})
export class RepositoriesModule {}
