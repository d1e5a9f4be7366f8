import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AiSettings } from '../ai.settings.js';
import { ModelRouterNotConfigured } from '../ai.errors.js';
import type { ModelRouter } from './model-router.js';
import { openRouter } from './open-router.js';

/** The routers that the operator has set, by their IDs. There may be none. */
@Injectable()
export class ModelRouters implements OnApplicationShutdown {
  private readonly routers: ReadonlyMap<string, ModelRouter>;
  private readonly keys: readonly string[];

  constructor(settings: AiSettings) {
    this.keys = settings.routers.flatMap(({ apiKey }) => apiKey ?? []);
    this.routers = new Map(settings.routers.map((declaration) => [declaration.id, openRouter(declaration)]));
  }

  get all(): readonly ModelRouter[] {
    return [...this.routers.values()];
  }

  find(id: string): ModelRouter | undefined {
    return this.routers.get(id);
  }

  /** Removes the operator's keys from a text that another service wrote: some repeat the key that they refuse. */
  withoutKeys(text: string): string {
    return this.keys.reduce((rest, key) => rest.replaceAll(key, '[key]'), text);
  }

  /** @throws {ModelRouterNotConfigured} `model_router_not_configured` when there is no router at all. */
  requireAny(): void {
    if (this.routers.size === 0) throw new ModelRouterNotConfigured();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.all.map((router) => router.close()));
  }
}
