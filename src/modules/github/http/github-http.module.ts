import { Module } from '@nestjs/common';
import { GithubModule } from '../github.module.js';
import { ScanningModule } from '../scanning/scanning.module.js';
import { GithubCallbackController } from './github-callback.controller.js';
import { GithubWebhookController } from './github-webhook.controller.js';
import { GithubController } from './github.controller.js';
import { SecretScanningWebhookController } from './secret-scanning-webhook.controller.js';

@Module({
  imports: [GithubModule, ScanningModule],
  controllers: [GithubController, GithubWebhookController, GithubCallbackController, SecretScanningWebhookController],
})
export class GithubHttpModule {}
